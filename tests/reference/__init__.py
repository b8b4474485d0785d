"""Slow, obvious twins of the fast code: plain recursion, sharing nothing with `untilt`."""
