"""Commands that compute strategies."""
