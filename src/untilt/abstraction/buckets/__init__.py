"""Card abstraction: hands that play alike share a bucket."""
