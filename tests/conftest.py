"""For all tests: one BLAS thread, as the command line has it, and no test against the clock."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded

from hypothesis import settings

settings.register_profile("untilt", deadline=None)
settings.load_profile("untilt")
