"""Learning whole hold'em from deals, on a betting tree with buckets of hands."""
