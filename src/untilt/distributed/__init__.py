"""The same solvers on several processes or machines, with Ray or without."""
