"""Equities of hands and ranges."""
