"""Solvers: iterators of progress over a compiled game. None of them knows a card."""
