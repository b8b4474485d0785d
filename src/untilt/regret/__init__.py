"""Update rules of regret learners, one infoset at a time; every traversal uses them."""
