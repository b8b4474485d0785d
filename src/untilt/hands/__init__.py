"""Hand histories: of poker sites, of programs, and of one's own matches.

hands = untilt.hands.read("HandHistory/")
gains = [hand.gains for hand in hands]
hands.unreadable                                # file, line and reason
untilt.hands.import_hands("HandHistory/", "hands/")
won = untilt.hands.find("hands/", player="me", pot=">20bb").to_frame()
leaks = untilt.hands.review("hands/", agent="bp/", output="leaks/")
tilt = untilt.hands.tilt(leaks)
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.hands.finding import find as find
    from untilt.hands.hand import Hand as Hand
    from untilt.hands.hand import HandAction as HandAction
    from untilt.hands.hand import HandMove as HandMove
    from untilt.hands.reading import HandStream as HandStream
    from untilt.hands.reading import Unreadable as Unreadable
    from untilt.hands.reading import read as read
    from untilt.hands.store.importing import HandImport as HandImport
    from untilt.hands.store.importing import import_hands as import_hands
    from untilt.play.leaks.reviewing import read_leaks as read_leaks
    from untilt.play.leaks.reviewing import review as review
    from untilt.play.leaks.tilt import tilt as tilt

_HOME = {
    "Hand": "untilt.hands.hand",
    "HandAction": "untilt.hands.hand",
    "HandImport": "untilt.hands.store.importing",
    "HandMove": "untilt.hands.hand",
    "HandStream": "untilt.hands.reading",
    "Unreadable": "untilt.hands.reading",
    "find": "untilt.hands.finding",
    "import_hands": "untilt.hands.store.importing",
    "read": "untilt.hands.reading",
    "read_leaks": "untilt",
    "review": "untilt",
    "tilt": "untilt",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
