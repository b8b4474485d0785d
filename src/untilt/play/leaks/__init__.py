"""Reviews of many hands: what decisions cost, where, and how noisy a player is."""
