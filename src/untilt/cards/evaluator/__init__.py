"""The rank of a hand, and the tables it is looked up in."""
