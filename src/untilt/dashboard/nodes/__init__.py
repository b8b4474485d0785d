"""Decisions of a run, as the page shows them."""
