"""Push/fold at tables of two to nine seats, for chips or for prizes."""
