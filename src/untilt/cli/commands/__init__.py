"""The commands, a file each, by purpose as in `untilt --help`."""
