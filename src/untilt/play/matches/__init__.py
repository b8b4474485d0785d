"""Matches of two policies."""
