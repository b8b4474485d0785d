"""Solving a street at the table: what a policy that thinks needs besides its blueprint."""
