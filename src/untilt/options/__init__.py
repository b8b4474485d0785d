"""The options of everything that has some, as rows: each is declared once.

From its row come an option's flag, its check in commands, files and Python, what is said when a
run continues without it, and its line in the documentation. Nothing here loads NumPy, because the
command line is built from it.
"""
