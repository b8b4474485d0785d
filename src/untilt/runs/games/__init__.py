"""Runs of solvers on games."""
