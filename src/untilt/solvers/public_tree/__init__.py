"""Regret minimization on public trees: betting lines with an axis of private hands."""
