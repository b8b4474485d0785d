"""The lowest layer: compiled kernels, array types and random streams."""
