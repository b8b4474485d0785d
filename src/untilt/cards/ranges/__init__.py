"""Ranges, and their notation."""
