"""What is done with results: compared, measured, exported, drawn."""
