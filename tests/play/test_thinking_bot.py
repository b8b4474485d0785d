"""A blueprint that thinks as a bot: short of time, and with an engine that sends nonsense."""

from pathlib import Path

import pytest
from tests.abstraction.buckets.tables import stored
from tests.play.blueprints import random_blueprint

from untilt.play.engines.acpc import AcpcPlayer
from untilt.play.engines.bot import Bot
from untilt.play.engines.mirrored_hand import Mismatch
from untilt.policy.load import load_agents, parse_agent
from untilt.policy.resolving import ResolvingPolicy

__all__ = ["stored"]  # a fixture

RIVER = "MATCHSTATE:0:1:cc/cc/cc/:AsKh|/Td9d6h/2c/5s"


@pytest.fixture(scope="module")
def path(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bot") / "blueprint.bin"
    random_blueprint(path)
    return path


def bot_of(path: Path, options: str) -> Bot:
    game, [policy] = load_agents([parse_agent(f"{path} {options}")])
    assert isinstance(policy, ResolvingPolicy)
    return Bot(game, policy, seed=1, num_hands=1_000)


def test_it_solves_a_river_that_a_dealer_shows(path: Path) -> None:
    bot = bot_of(path, "--iterations 2")
    answer = AcpcPlayer(bot).answer(RIVER)
    assert answer is not None
    assert answer.startswith(f"{RIVER}:")
    assert bot.report.failure is None
    assert bot._state.solved.iterations == 2


@pytest.mark.parametrize("left", [30.0, 0.5, 0.0])
def test_whatever_the_clock_says_it_answers(path: Path, left: float) -> None:
    bot = bot_of(path, "--think auto")
    player = AcpcPlayer(bot)
    player.answer(RIVER)
    position = player._replica.position
    assert bot.choose(position, left) in position.infoset(1).actions()
    assert bot.report.failure is None
    assert bot.report.num_quick == (left < 1.0)


@pytest.mark.parametrize(
    "line",
    [
        "MATCHSTATE:0:1:cc/cc/cc/:AsKh|/Td9d6h/2c/Td",  # a card of the board again
        "MATCHSTATE:0:1:cc/cc/cc/:AsKh|/Td9d6h/2c/As",  # a card that the bot holds
        "MATCHSTATE:0:1:cc/cc/cc/r3:AsKh|/Td9d6h/2c/5s",  # less than was bet before
        "MATCHSTATE:0:1:r400:AsKh|",  # more than anybody has: another stack
    ],
)
def test_what_the_rules_do_not_allow_is_refused(path: Path, line: str) -> None:
    player = AcpcPlayer(bot_of(path, "--iterations 2"))
    with pytest.raises(Mismatch):
        player.answer(line)
