"""Driving solvers: when to stop, what to save, how to resume. Home of `untilt.solve`."""
