"""Public states as nodes: what every hand does, and what it is worth."""
