"""Quantal response equilibria: systems of equations, and ways to follow their solutions."""
