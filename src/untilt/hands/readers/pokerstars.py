"""Hand histories of PokerStars: cash games, Zoom, home games and tournaments."""

import re

from untilt.hands.readers.phrases import Phrases

POKERSTARS = Phrases(
    site="PokerStars",
    begins=re.compile(
        r"PokerStars (?:Zoom |Home Game )?(?:Hand|Game) #(?P<number>\d{1,20}): +"
        r"(?:\{[^{}]*\} +)?(?:(?:Zoom )?Tournament #(?P<tournament>\d{1,20}), )?"
    ),
    refused={
        "posts straddle": "a straddle",
        "straddle": "a straddle",
        "posts button blind": "a blind of the button",
        "FIRST ": "a board that was run more than once",
        "SECOND ": "a board that was run more than once",
    },
)
