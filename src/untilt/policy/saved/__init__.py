"""Policies of run folders, and the games that they play."""
