"""The files of every run folder."""
