"""Commands that list, write and read files."""
