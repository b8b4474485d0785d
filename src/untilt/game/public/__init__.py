"""The public tree, and the sweeps over it."""
