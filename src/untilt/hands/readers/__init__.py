"""One file per format: how its texts become hands."""
