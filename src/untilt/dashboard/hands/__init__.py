"""Hand histories on the page: folders of hands, one hand, and reviews of them."""
