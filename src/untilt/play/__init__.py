"""Playing games: a table that deals and asks agents to act, and a review of what mistakes cost.

It needs only NumPy: neither a solver nor Numba is loaded.
"""

from typing import TYPE_CHECKING

from untilt.formats.exchange.phh import HandHistory, format_phh, parse_phh, read_phh
from untilt.game.histories.tree_position import TreePosition
from untilt.game.protocol import Uniforms
from untilt.games.holdem.replay import replay_hand
from untilt.lazy import lazy_names
from untilt.play.drill import find_hand
from untilt.play.engines.acpc import AcpcPlayer, play_acpc
from untilt.play.engines.acpc_game import game_definition, read_acpc_game
from untilt.play.engines.bot import Bot
from untilt.play.matches.head_to_head import MatchResult
from untilt.play.review.hand_record import record_hand
from untilt.play.review.replay import PlayState, state_of_hand
from untilt.play.review.review import Reviewed, review_decisions
from untilt.play.table.hand import LiveHand, Table
from untilt.play.table.score import Score
from untilt.play.table.versus import Versus
from untilt.policy.code import Acts as Agent
from untilt.policy.code import label_agent
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.turn import Decision, Hand, Rules, Turn
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.nodes.public_state import PublicState, follow
from untilt.policy.policy import Policy, Stationary
from untilt.policy.saved.match_game import named_game
from untilt.policy.simple import RandomPolicy, always_call
from untilt.policy.tabular import StrategyAgent, TabularPolicy
from untilt.policy.translated import TranslatedPolicy

if TYPE_CHECKING:
    from untilt.exploitation.measuring.measure import Exploitation as Exploitation
    from untilt.play.review.hand_review import HandReview as HandReview
    from untilt.policy.resolving import ResolvingPolicy as ResolvingPolicy

__all__ = [
    "AcpcPlayer",
    "Agent",
    "Bot",
    "Clock",
    "Decision",
    "Exploitation",
    "Hand",
    "HandHistory",
    "HandReview",
    "LiveHand",
    "MatchResult",
    "PlayState",
    "Policy",
    "PublicState",
    "RandomPolicy",
    "ResolvingPolicy",
    "Reviewed",
    "Rules",
    "Score",
    "Stationary",
    "StrategyAgent",
    "Table",
    "TabularPolicy",
    "TranslatedPolicy",
    "TreePosition",
    "Turn",
    "Uniforms",
    "Versus",
    "always_call",
    "find_hand",
    "follow",
    "format_phh",
    "game_definition",
    "label_agent",
    "load_agents",
    "named_game",
    "parse_agent",
    "parse_phh",
    "play_acpc",
    "read_acpc_game",
    "read_phh",
    "record_hand",
    "replay_hand",
    "review_decisions",
    "state_of_hand",
]

_HOME = {
    "Exploitation": "untilt",
    "HandReview": "untilt.play.review.hand_review",
    "ResolvingPolicy": "untilt.policy.resolving",
}
"""Names that a bot seldom needs, or that lie above playing."""

_RENAMED = {
    "RandomEntrant": "untilt.play.RandomPolicy",
    "TranslatedEntrant": "untilt.play.TranslatedPolicy",
    "call_entrant": "untilt.play.always_call",
}
"""Names of 0.1.0 and what they are now."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME, _RENAMED)
