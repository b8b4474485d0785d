"""`untilt export`."""


def export() -> None:
    """Placeholder."""
