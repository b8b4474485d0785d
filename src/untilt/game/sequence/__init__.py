"""The sequence form, and the sweeps over it."""
