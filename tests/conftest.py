"""For all tests: one BLAS thread, as the command line has it, set before NumPy is loaded."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
