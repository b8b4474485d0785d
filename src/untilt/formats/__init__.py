"""Files: writing them, and reading them back without trusting them."""
