"""Commands for folders of hand histories."""
