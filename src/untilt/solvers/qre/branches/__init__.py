"""Whole branches of equilibria, followed from β = 0."""
