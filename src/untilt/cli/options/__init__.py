"""Flags, made from rows of options."""
