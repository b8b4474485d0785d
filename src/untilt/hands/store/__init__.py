"""A folder of hands: its files, what is imported into it, and how hands are found in it."""
