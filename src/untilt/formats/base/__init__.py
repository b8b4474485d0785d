"""What all files share: the container, atomic writing, locks."""
