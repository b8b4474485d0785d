"""Quantal response by dilated entropy."""
