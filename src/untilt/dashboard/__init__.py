"""The web server that shows run folders; its page is built from `web/` into `static/`.

It reads run folders and never a live solver, so that it can be started before, during and after
a run, by the same or by another process. It needs NumPy but no compiled kernels.
"""
