"""One hand as a policy sees it."""
