"""Solutions of spots, and what is read from them."""
