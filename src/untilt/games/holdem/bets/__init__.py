"""Bet sizes, and the betting tree that they make."""
