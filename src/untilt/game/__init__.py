"""The protocol of games, and their compiled forms."""
