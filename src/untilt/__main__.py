"""`python -m untilt`: the command line."""

from untilt.cli.entry import main

if __name__ == "__main__":
    main()
