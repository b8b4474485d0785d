"""Hand histories: of poker sites, of programs, and of one's own matches.

hands = untilt.hands.read("HandHistory/")
gains = [hand.gains for hand in hands]
hands.unreadable                                # file, line and reason
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.hands.hand import Hand as Hand
    from untilt.hands.hand import HandAction as HandAction
    from untilt.hands.hand import HandMove as HandMove
    from untilt.hands.reading import HandStream as HandStream
    from untilt.hands.reading import Unreadable as Unreadable
    from untilt.hands.reading import read as read

_HOME = {
    "Hand": "untilt.hands.hand",
    "HandAction": "untilt.hands.hand",
    "HandMove": "untilt.hands.hand",
    "HandStream": "untilt.hands.reading",
    "Unreadable": "untilt.hands.reading",
    "read": "untilt.hands.reading",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
