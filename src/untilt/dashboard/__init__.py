"""The web server that shows run folders; its page is built from `web/` into `static/`.

It reads run folders, never a live solver, so it can be started before, during or after a run, by
the same process or another one. It needs NumPy but no compiled kernels.
"""
