"""Run folders and documents, as the page gets them."""
