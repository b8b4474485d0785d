"""Small games of markets: bidding, quoting a spread, routing an order."""
