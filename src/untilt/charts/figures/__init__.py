"""Figures, drawn by Matplotlib or written as SVG."""
