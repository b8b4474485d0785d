"""A game history by history: its compiled tree, and walks from position to position."""
