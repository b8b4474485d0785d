"""What a game is, and its compiled forms."""
