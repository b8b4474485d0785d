"""Heads-up hold'em: bet sizes, betting, and spots as public trees."""
