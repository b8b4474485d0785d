"""Trainings of blueprints."""
