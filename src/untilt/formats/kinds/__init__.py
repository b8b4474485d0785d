"""The files of strategies: of games, spots, blueprints and push/fold."""
