"""Whatever plays: strategies of runs and files, blueprints, agents that think, bots in Python."""
