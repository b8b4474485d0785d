"""Hand histories of GGPoker and its skins: names of others are anonymous, one's own is Hero."""

import re
from dataclasses import replace

from untilt.hands.readers.amounts import AMOUNT, SIGN
from untilt.hands.readers.phrases import Post
from untilt.hands.readers.pokerstars import POKERSTARS

GGPOKER = replace(
    POKERSTARS,
    site="GGPoker",
    hero="Hero",
    begins=re.compile(
        r"Poker Hand #(?P<number>[A-Z]{0,4}\d{1,20}): +(?:Tournament #(?P<tournament>\d{1,20}), )?"
    ),
    posts={**POKERSTARS.posts, "posts missed blind ": Post.DEAD},
    fees=re.compile(rf"\| (?:Rake|Jackpot|Bingo|Fortune|Tax) (?:{SIGN})?({AMOUNT})"),
    added=re.compile(rf"Cash Drop to Pot : total (?:{SIGN})?({AMOUNT})"),
    refused={
        **POKERSTARS.refused,
        "THIRD ": "a board that was run more than once",
    },
)
