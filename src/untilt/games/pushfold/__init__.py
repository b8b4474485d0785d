"""Push/fold hold'em: the game, its charts and its regret learner."""
