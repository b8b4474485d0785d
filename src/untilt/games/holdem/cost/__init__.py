"""The nodes, memory and time of a spot, before it is solved."""
