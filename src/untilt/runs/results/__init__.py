"""Uses of results: comparing, measuring, exporting, drawing."""
