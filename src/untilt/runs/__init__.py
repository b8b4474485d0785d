"""Driving solvers: when to stop, what to save, how to resume; `untilt.solve` lives here."""
