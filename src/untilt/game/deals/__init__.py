"""Betting trees that are learnt from deals."""
