"""Equilibria at one β."""
