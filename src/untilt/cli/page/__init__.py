"""The processes behind the page."""
