"""Spots, and their public trees."""
