"""Push/fold hold'em: the game, its regret learner and what players compare it with."""
