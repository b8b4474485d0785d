"""Policies of run folders, the games that they play, and reports over flops."""
