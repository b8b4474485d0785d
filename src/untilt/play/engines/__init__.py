"""Agents in engines that other people wrote."""
