"""The base of all files: the container, atomic writing, locks."""
