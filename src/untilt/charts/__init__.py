"""Tables and charts of strategies."""
