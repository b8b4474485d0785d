"""Strategies, what solvers have found, and their rows."""
