"""A table where policies and people play."""
