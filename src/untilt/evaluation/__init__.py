"""Exact measures of strategies: values, best responses, exploitability, head to head."""
