"""`untilt evaluate`."""


def evaluate() -> None:
    """Placeholder."""
