"""Charts and trainings of push/fold."""
