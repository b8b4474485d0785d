"""Games as the ACPC dealer defines them, in a .game file.

    GAMEDEF
    nolimit
    numPlayers = 2
    numRounds = 4
    stack = 20000 20000
    blind = 100 50                 # by position: the big blind comes first
    …
    END GAMEDEF

Names may be in any case, and `#` begins a comment.
"""

from dataclasses import dataclass
from pathlib import Path

from untilt.errors import Argument, FormatError, InvalidOption, UntiltError, shortened
from untilt.formats.base.files import open_regular, path_of, shown, unreadable
from untilt.game.protocol import Game
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import HoldemRules, verify_stacks_cover_blinds
from untilt.games.kuhn import Kuhn, kuhn
from untilt.games.leduc import Leduc
from untilt.games.registry import leduc, name_game
from untilt.policy.load import PolicySpec, find_agent, load_agents
from untilt.policy.policy import Policy
from untilt.policy.saved.match_game import MatchGame, made_game

STANDARD_NO_LIMIT = HoldemRules(stacks=(20_000, 20_000), blinds=(50, 100))
"""The competition's heads-up no-limit game, `holdem.nolimit.2p.reverse_blinds`."""
STANDARD_LIMIT = HoldemRules(
    stacks=(2_000, 2_000), blinds=(5, 10), limit=(10, 10, 20, 20), max_raises=3
)
"""Its heads-up limit game, in which nobody can be all-in."""

_LARGEST_FILE = 65_536
_UNLIMITED_STACKS = 100
"""Big blinds of a limit game without stacks, more than can be bet in a hand."""
_FLAGS = ("limit", "nolimit")
_NUMBERS = {
    "numplayers": 1,
    "numrounds": 1,
    "stack": 2,
    "blind": 2,
    "raisesize": 4,
    "firstplayer": 4,
    "maxraises": 4,
    "numsuits": 1,
    "numranks": 1,
    "numholecards": 1,
    "numboardcards": 4,
}
"""The fields of a definition, with the most numbers that each has with two players."""
_NEEDED = ("numplayers", "numrounds", "blind", "numsuits", "numranks", "numholecards")

_Fields = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Seat:
    """An agent that is ready for the dealer."""

    game: MatchGame
    policy: Policy
    assumed: str | None = None
    """Which game is assumed, and why, if no definition says it."""


def seat_at_dealer(
    agent: PolicySpec,
    game: MatchGame | None = None,
    game_file: str | Path | None = None,
    *,
    trust: bool = False,
) -> Seat:
    """Return an agent in the game of a definition, or of `game`, or in the one to be expected.

    Messages of the dealer carry no stakes. So without a definition a blueprint is assumed to play
    the competition's standard game if it can, else its own. Raises UntiltError if the agent does
    not play the game.
    """
    if game_file is None:
        found, [policy] = load_agents([agent], game, trust=trust)
        if game is None and policy.has_other_stakes:
            return _assumed(found, policy)
        return Seat(found, policy)
    if game is not None:
        raise InvalidOption(
            "both ", Argument("game"), " and ", Argument("game_file"), " name a game; leave one out"
        )
    root = read_acpc_game(game_file)
    loaded = find_agent(agent, trust=trust)
    own = loaded.game
    if own is None or loaded.has_other_stakes:
        own = made_game(name_game(root))
    elif not _has_same_definition(own.root, root):
        raise InvalidOption(
            f"{agent.source} plays {own.described}, which is not the game of "
            f"{shown(path_of(game_file))}"
        )
    return Seat(own, loaded.policy(own))


def _assumed(own: MatchGame, policy: Policy) -> Seat:
    """Return an agent at the standard stakes of the competition, or at its own."""
    assert isinstance(own.root, Holdem)
    rules = STANDARD_LIMIT if own.root.rules.is_limit else STANDARD_NO_LIMIT
    standard = made_game(name_game(Holdem(rules)))
    try:
        policy = policy.playing(standard)
    except InvalidOption as error:
        return Seat(own, policy, f"its own game, {own.root.rules}, since {error}")
    return Seat(standard, policy, f"the competition's standard game, {rules}")


def _has_same_definition(root: Game, other: Game) -> bool:
    try:
        return game_definition(root) == game_definition(other)
    except UntiltError:  # the dealer does not play it
        return False


def read_acpc_game(path: str | Path) -> Game:
    """Return the game that a definition of the ACPC dealer describes: hold'em, Kuhn or Leduc.

    Raises FormatError if the file is not a definition, InvalidOption if the game is not one of
    these.

    >>> import untilt
    >>> from pathlib import Path
    >>> from untilt.play import game_definition, read_acpc_game
    >>> _ = Path("kuhn.game").write_text(game_definition(untilt.games.kuhn()))
    >>> read_acpc_game("kuhn.game").rules
    KuhnRules(cards=3, ante=1.0, bet=1.0, players=2)
    """
    file = path_of(path)
    with open_regular(file) as opened:
        try:
            data = opened.read(_LARGEST_FILE + 1)
        except OSError as error:
            raise unreadable(file, error) from error
    try:
        if len(data) > _LARGEST_FILE:
            raise FormatError(f"it has more than {_LARGEST_FILE:,} bytes")
        is_limit, fields = _parsed(data.decode("ascii"))
        return _game(is_limit, fields)
    except UnicodeDecodeError:
        raise FormatError(
            f"{shown(file)} is not a game of the ACPC dealer: it is not text"
        ) from None
    except FormatError as error:
        raise FormatError(f"{shown(file)} is not a game of the ACPC dealer: {error}") from None
    except InvalidOption as error:
        raise InvalidOption(f"{shown(file)} is not a game that bots play: {error}") from None


def _parsed(text: str) -> tuple[bool, _Fields]:
    """Return whether bets have fixed sizes, and the numbers of each field."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if not lines or lines[0].lower() != "gamedef" or lines[-1].lower() != "end gamedef":
        raise FormatError("it does not begin with GAMEDEF and end with END GAMEDEF")
    flags, fields = set(), {}
    for line in lines[1:-1]:
        name, equals, value = (part.strip() for part in line.partition("="))
        key = name.lower()
        if not equals and key in _FLAGS:
            flags.add(key)
            continue
        if key not in _NUMBERS:
            raise FormatError(f"{shortened(line)} is not one of its fields")
        if key in fields:
            raise FormatError(f"{name} is given twice")
        words = value.split()
        if not words or not all(word.isdigit() and len(word) < 11 for word in words):
            raise FormatError(f"{name} is {shortened(value)}; it must be numbers")
        fields[key] = tuple(map(int, words))
    if len(flags) != 1:
        raise FormatError("it says neither limit nor nolimit, or both")
    missing = [name for name in _NEEDED if name not in fields]
    if missing:
        raise FormatError(f"it lacks {missing[0]}")
    return flags == {"limit"}, fields


def _game(is_limit: bool, fields: _Fields) -> Game:
    """Return the game of a definition."""
    if fields["numplayers"] != (2,):
        raise InvalidOption(f"it has {fields['numplayers'][0]} players, not 2")
    for name, most in _NUMBERS.items():
        if len(fields.get(name, ())) > most:
            raise FormatError(f"{name} has more than {most} numbers")
    if fields["numholecards"] == (1,):
        return _small_game(is_limit, fields)
    if fields["numholecards"] != (2,):
        raise InvalidOption(f"players hold {fields['numholecards'][0]} cards, not 2")
    return _holdem(is_limit, fields)


def _small_game(is_limit: bool, fields: _Fields) -> Game:
    """Return the game of Kuhn or Leduc that has this definition."""
    ranks, blinds = fields["numranks"][0], fields["blind"]
    sizes, raises = fields.get("raisesize", ()), fields.get("maxraises", ())
    found: Game | None = None
    if sizes and raises and len(set(blinds)) == 1 and 2 <= ranks <= 13:
        if fields["numrounds"] == (1,) and ranks >= 3:
            found = kuhn(cards=ranks, ante=blinds[0], bet=sizes[0])
        elif fields["numrounds"] == (2,) and raises[0] in range(1, 10):
            found = leduc(ranks=ranks, bets=raises[0])
    if found is None or _parsed(game_definition(found)) != (is_limit, fields):
        raise InvalidOption("players hold one card, but it is neither Kuhn nor Leduc poker")
    return found


def _holdem(is_limit: bool, fields: _Fields) -> Holdem:
    rounds = fields["numrounds"][0]
    board = fields.get("numboardcards", ())
    if len(board) != rounds:
        raise FormatError(f"numBoardCards has {len(board)} numbers for {rounds} rounds")
    blinds = fields["blind"]
    if len(blinds) != 2 or blinds[0] < blinds[1]:
        raise InvalidOption(
            "the blinds are not reversed; the big blind is at position 0: blind = 100 50"
        )
    if fields.get("firstplayer", ()) != (2, *[1] * (rounds - 1)):
        raise InvalidOption(
            "the small blind acts first before the flop and last after it: firstPlayer = 2 1 1 1"
        )
    limit = fields.get("raisesize")
    if is_limit != (limit is not None):
        raise FormatError("raiseSize belongs to limit games, and only to them")
    stacks = fields.get("stack", (_UNLIMITED_STACKS * blinds[0],) * 2 if is_limit else ())
    if len(stacks) != 2:
        raise FormatError("stack has not two numbers")
    rules = HoldemRules(
        stacks=(stacks[1], stacks[0]),
        blinds=(blinds[1], blinds[0]),
        limit=_by_street(limit, "raiseSize", rounds),
        max_raises=_max_raises(fields.get("maxraises"), rounds),
        board_cards=board,
        ranks=fields["numranks"][0],
        suits=fields["numsuits"][0],
    )
    verify_stacks_cover_blinds(rules)
    return Holdem(rules)


def _by_street(numbers: tuple[int, ...] | None, name: str, rounds: int) -> tuple[int, ...] | None:
    if numbers is not None and len(numbers) != rounds:
        raise FormatError(f"{name} has {len(numbers)} numbers for {rounds} rounds")
    return numbers


def _max_raises(given: tuple[int, ...] | None, rounds: int) -> int | None:
    """Return how often a bet may be raised; the dealer does not count a blind as a bet."""
    counts = _by_street(given, "maxRaises", rounds)
    if counts is None:
        return None
    if counts != (counts[0], *[counts[0] + 1] * (rounds - 1)):
        raise InvalidOption(
            "before the flop one raise less is allowed than on later streets: maxRaises = 3 4 4 4"
        )
    return counts[0]


def game_definition(root: Game) -> str:
    """Return the definition of a game for the dealer, as the content of a .game file.

    Raises UntiltError if the dealer does not play it.

    >>> import untilt
    >>> print(untilt.play.game_definition(untilt.games.kuhn()).splitlines()[4])
    blind = 1 1
    """
    if isinstance(root, Kuhn):
        stakes = (root.rules.ante, root.rules.bet)
        if not all(stake.is_integer() for stake in stakes):
            raise UntiltError(f"the dealer has whole chips, not an ante and a bet of {stakes}")
        ante, bet = (f"{stake:.0f}" for stake in stakes)
        fields = _fields(
            "limit",
            f"{ante} {ante}",
            1,
            root.rules.cards,
            1,
            raise_sizes=bet,
            max_raises="1",
            board="0",
        )
    elif isinstance(root, Leduc):
        rules = root.rules
        if rules.ranks > 13:
            raise UntiltError(f"the dealer has 13 ranks, not {rules.ranks}")
        fields = _fields(
            "limit",
            "1 1",
            2,
            rules.ranks,
            1,
            raise_sizes="2 4",
            max_raises=f"{rules.bets} {rules.bets}",
            board="0 1",
            suits=2,
        )
    elif isinstance(root, Holdem):
        fields = _holdem_fields(root)
    else:
        raise UntiltError(f"the dealer does not play {type(root).__name__}")
    lines = [f"{name} = {value}" if value else name for name, value in fields.items()]
    return "\n".join(["GAMEDEF", *lines, "END GAMEDEF"]) + "\n"


def _fields(
    betting: str,
    blinds: str,
    rounds: int,
    ranks: int,
    held: int,
    *,
    board: str,
    raise_sizes: str = "",
    max_raises: str = "",
    first: str = "",
    stacks: str = "",
    suits: int = 1,
) -> dict[str, str]:
    fields = {betting: "", "numPlayers": "2", "numRounds": str(rounds)}
    if stacks:
        fields["stack"] = stacks
    fields["blind"] = blinds
    if raise_sizes:
        fields["raiseSize"] = raise_sizes
    fields["firstPlayer"] = first or " ".join(["1"] * rounds)
    if max_raises:
        fields["maxRaises"] = max_raises
    return fields | {
        "numSuits": str(suits),
        "numRanks": str(ranks),
        "numHoleCards": str(held),
        "numBoardCards": board,
    }


def _holdem_fields(root: Holdem) -> dict[str, str]:
    rules = root.rules
    rounds = len(rules.board_cards)
    if rules.red_runs_on or rules.ante or rounds > 4 or rules.suits < 4:
        raise UntiltError(
            "the dealer plays hold'em of at most four streets with four suits and without antes, "
            "and not River of Blood"
        )
    raise_sizes = max_raises = ""
    if rules.limit is not None:
        by_street = [rules.limit[min(street, len(rules.limit) - 1)] for street in range(rounds)]
        raise_sizes = " ".join(map(str, by_street))
    if rules.max_raises is not None:
        # The dealer does not count a blind as a bet.
        counts = [rules.max_raises, *[rules.max_raises + 1] * (rounds - 1)]
        max_raises = " ".join(map(str, counts))
    return _fields(
        "nolimit" if rules.limit is None else "limit",
        f"{rules.blinds[1]} {rules.blinds[0]}",
        rounds,
        rules.ranks,
        2,
        board=" ".join(map(str, rules.board_cards)),
        raise_sizes=raise_sizes,
        max_raises=max_raises,
        first=" ".join(["2", *["1"] * (rounds - 1)]),
        stacks="" if rules.limit is not None else f"{rules.stacks[1]} {rules.stacks[0]}",
        suits=rules.suits,
    )
