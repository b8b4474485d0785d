"""Hands that were played, reviewed."""
