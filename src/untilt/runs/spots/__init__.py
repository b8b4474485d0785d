"""Runs of spots."""
