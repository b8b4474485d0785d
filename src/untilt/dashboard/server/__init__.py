"""The web server: requests, their limits and their answers."""
