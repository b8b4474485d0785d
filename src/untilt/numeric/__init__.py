"""The floor of the house: compiled kernels, array types and random streams."""
