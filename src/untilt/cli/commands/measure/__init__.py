"""Commands that measure hands and strategies."""
