"""Monte Carlo CFR: regret learners that see sampled histories instead of all of them."""
