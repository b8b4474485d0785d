"""Solvers: iterators of progress over a compiled game, independent of its cards."""
