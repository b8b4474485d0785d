"""β estimated from observed play."""
