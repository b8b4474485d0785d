"""`untilt games`."""


def games() -> None:
    """Placeholder."""
