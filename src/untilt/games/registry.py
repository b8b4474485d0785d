"""Games by name: registered games, a user's file or module, OpenSpiel games and Gambit files.

Other packages add games through the entry points `untilt.games`, see `untilt.plugins`.

`resolve` takes what a user types:

    leduc                                      a registered game
    path/to/mygame.py:attr                     an attribute of a file; by default `game`
    package.module:attr                        an attribute of an importable module
    openspiel:leduc_poker(players=2)           an OpenSpiel game
    path/to/game.efg, path/to/game.nfg         a Gambit file; it is read, not executed

An attribute is a position (the root), or a class or function that makes one from parameters.
"""

import dataclasses
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from untilt.errors import GameError, InvalidOption, UnknownName, UntiltError, shortened
from untilt.game.protocol import Game
from untilt.games.goofspiel import goofspiel
from untilt.games.holdem.game import Holdem
from untilt.games.holdem.rules import (
    HoldemRules,
    parse_numbers,
    verify_stacks_cover_blinds,
)
from untilt.games.kuhn import kuhn
from untilt.games.leduc import Leduc, Leduc276, Suits
from untilt.games.liars_dice import liars_dice
from untilt.games.loading import (
    DEFAULT_ATTRIBUTE,
    attribute_of,
    is_position,
    load_file,
    load_module,
    verify_position,
    wrap_user_errors,
)
from untilt.games.markets.auction import auction
from untilt.games.markets.limit_order import limit_order
from untilt.games.markets.market_maker import market_maker
from untilt.games.markets.order_routing import order_routing
from untilt.games.matrix import matching_pennies, matrix
from untilt.games.parameters import (
    Parameter,
    ParameterValue,
    bind_parameters,
    checked,
    parameters_of,
    verify_mapping,
    without_state,
)
from untilt.games.river_of_blood import RiverOfBlood
from untilt.lazy import provided
from untilt.number import Amount, number_in, number_of
from untilt.plugins import Catalogue

if TYPE_CHECKING:
    from untilt.games.pushfold.game import PushFold

_NO_PARAMETERS: Mapping[str, ParameterValue] = MappingProxyType({})
_OPENSPIEL = "openspiel:"
_CHIPS = ("stack", "other_stack", "small_blind", "ante", "bb_ante")
LIMIT_RAISES = 3
"""How often a bet can be raised in limit hold'em, unless stated otherwise."""
EFG_SUFFIX, NFG_SUFFIX = ".efg", ".nfg"
"""The extensions of Gambit files: trees, and tables of strategies."""
GAMBIT_SUFFIXES = (EFG_SUFFIX, NFG_SUFFIX)


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A registered game, with facts about it at its default parameters."""

    name: str
    title: str
    factory: Callable[..., Game]
    position: str
    """Module and name of the class of its positions, as text: the class need not be loaded."""
    summary: str
    infosets: int | None = None
    """Of all players, without forced moves. This and the other counts are None for a game that is
    too large to compile."""
    action_variables: int | None = None
    """Actions summed over all infosets."""
    sequences: tuple[int, ...] | None = None
    """Sequences of each player, the empty one included."""
    terminals: int | None = None
    """Histories that end the game."""
    is_zero_sum: bool = True
    perfect_recall: bool = True
    known_value: Fraction | float | None = None
    """Player 0's value of the game in chips, to the digits published.

    None for a general-sum game, whose equilibria may differ in value, or if the value is unknown.
    """
    value_source: str = ""
    is_derived: bool = False
    """Whether it is made of another game. If a user's file makes one and its `parameters` say how,
    it is rebuilt without the file."""
    states_parameters: bool = False
    """Whether the parameters that are stored and shown are those that its positions state. They
    leave out what came later and has its default value, so that runs of before stay as they were,
    and give defaults that depend on others."""
    amounts: tuple[str, ...] = ()
    """Parameters that are chips, or big blinds if it has no `big_blind`. As text they may be in big
    blinds, such as 20bb."""
    small: Mapping[str, ParameterValue] = field(default_factory=dict)
    """Parameters with which a game that is too large becomes one that can be compiled."""

    @property
    def can_be_compiled(self) -> bool:
        """Whether the game is known to compile at its default parameters."""
        return self.infosets is not None


@dataclass(frozen=True, slots=True)
class NamedGame:
    """A game with its names and the parameters that rebuild it.

    If there is a reference, `resolve(named.reference, named.parameters)` returns the same game.
    """

    game: Game
    """The root position."""
    name: str
    """A short name that can be part of a folder name."""
    title: str
    reference: str | None
    """The reference that names it; None for a position made in Python."""
    parameters: Mapping[str, ParameterValue]
    """All parameters that can be set by name, including those with their default value, unless
    the game states its own."""
    is_builtin: bool
    """Whether it comes with Untilt. Any other game runs its own code, except a Gambit file."""


@checked
def leduc(ranks: int = 3, suits: Suits = "merged", bets: int = 2, players: int = 2) -> Leduc:
    """Return Leduc hold'em: two cards of each rank, one of them public, two streets.

    `suits="merged"` deals ranks weighted by the copies left; `"distinguished"` deals the cards
    themselves: the same game with more infosets. `bets` is the maximum number of bets per street.
    With more than two players there is at least one rank more than `players`.
    """
    return Leduc(ranks, suits, bets, players)


def leduc_276() -> Leduc276:
    """Return the variant of Leduc with 276 infosets; see `untilt.games.leduc`."""
    return Leduc276()


@checked
def pushfold(
    stack: float = 10.0, small_blind: float = 0.5, ante: float = 0.0, bb_ante: float = 0.0
) -> "PushFold":
    """Return push/fold hold'em for a `stack` in big blinds, counted before posting.

    `ante` is posted by each player, `bb_ante` by the big blind for both.
    """
    from untilt.games.pushfold.game import PushFold, Stakes  # loads NumPy and the table of deals

    return PushFold(Stakes(stack, small_blind, ante, bb_ante))


@checked
def holdem(
    stack: int = 200,
    other_stack: int | None = None,
    small_blind: int = 1,
    big_blind: int = 2,
    ante: int = 0,
    bb_ante: int = 0,
    limit: str = "",
    max_raises: int | None = None,
    board: str = "3/1/1",
    ranks: int = 13,
    suits: int = 4,
) -> Holdem:
    """Return heads-up hold'em with integer chips; player 0 has the button and the small blind.

    `stack` counts before blinds and antes; `other_stack` is the big blind's, if it differs. `ante`
    is posted by each player, `bb_ante` by the big blind for both. With
    `limit`, such as `2/2/4/4`, bets have these sizes street by street (`2/4` stands for the same);
    `max_raises` is then 3 unless given. `board` is the number of cards of each street after the
    first, `ranks` and `suits` are the size of the deck.
    """
    bets = None
    if limit:
        bets = parse_numbers("limit", limit)
        bets = (bets[0], bets[0], bets[1]) if len(bets) == 2 else bets
        max_raises = LIMIT_RAISES if max_raises is None else max_raises
    rules = HoldemRules(
        stacks=(stack, stack if other_stack is None else other_stack),
        blinds=(small_blind, big_blind),
        ante=ante,
        bb_ante=bb_ante,
        limit=bets,
        max_raises=max_raises,
        board_cards=(0, *parse_numbers("board", board)),
        ranks=ranks,
        suits=suits,
    )
    verify_stacks_cover_blinds(rules)
    return Holdem(rules)


@checked
def river_of_blood(
    stack: int = 400,
    small_blind: int = 1,
    big_blind: int = 2,
    board: str = "3/1/1",
    ranks: int = 13,
    suits: int = 4,
) -> RiverOfBlood:
    """Return River of Blood: hold'em whose board runs on while its last card is red.

    The rule applies from the last card of `board` onwards; all else is as in `holdem`.
    """
    rules = HoldemRules(
        stacks=(stack, stack),
        blinds=(small_blind, big_blind),
        board_cards=(0, *parse_numbers("board", board)),
        ranks=ranks,
        suits=suits,
        red_runs_on=True,
    )
    verify_stacks_cover_blinds(rules)
    return RiverOfBlood(rules)


@checked
def abstract_game(
    game: str = "kuhn",
    parameters: str = "",
    states: str = "alike('QK') * betting_line",
    actions: str = "",
) -> Game:
    """Return a registered `game` under an abstraction of ready-made parts, all given as text.

    `parameters` are the game's own, such as `stack=40, ranks=6`; `states` and `actions` are a
    product of state abstractions and a menu, as `untilt.abstraction` writes them.
    """
    made: Game = provided("the game abstract")(game, parameters, states, actions)
    return made


_OWN: Mapping[str, GameSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            GameSpec(
                name="kuhn",
                title="Kuhn Poker",
                factory=kuhn,
                position="untilt.games.kuhn.Kuhn",
                summary="three cards, ante 1, one bet of 1",
                infosets=12,
                action_variables=24,
                sequences=(13, 13),
                terminals=30,
                known_value=Fraction(-1, 18),
                value_source='Kuhn 1950, "A simplified two-person poker"',
                states_parameters=True,
            ),
            GameSpec(
                name="leduc",
                title="Leduc Hold'em",
                factory=leduc,
                position="untilt.games.leduc.Leduc",
                summary="six cards, two streets, bets of 2 and 4, at most two per street",
                infosets=288,
                action_variables=672,
                sequences=(337, 337),
                terminals=1_116,
                known_value=-0.085606424078,
                value_source="sequence-form linear program; the same on OpenSpiel's leduc_poker",
                states_parameters=True,
            ),
            GameSpec(
                name="leduc-276",
                title="Leduc 276",
                factory=leduc_276,
                position="untilt.games.leduc.Leduc276",
                summary="three bets per street; player 0's check after the public card ends it",
                infosets=276,
                action_variables=690,
                sequences=(346, 346),
                terminals=1_230,
                known_value=0.070940775743,
                value_source="sequence-form linear program",
            ),
            GameSpec(
                name="pushfold",
                title="Push/Fold Hold'em",
                factory=pushfold,
                position="untilt.games.pushfold.game.PushFold",
                summary="heads-up hold'em, all-in or fold, any stack, blinds and antes",
                amounts=("stack", "small_blind", "ante", "bb_ante"),
                infosets=338,
                action_variables=676,
                sequences=(339, 339),
                terminals=85_683,
                known_value=-0.0453707526,
                value_source="sequence-form linear program with exact card removal, 10 bb",
            ),
            GameSpec(
                name="holdem",
                title="Hold'em",
                factory=holdem,
                position="untilt.games.holdem.game.Holdem",
                summary="heads-up no-limit or limit hold'em, any stacks, blinds and antes",
                amounts=_CHIPS,
                small={"stack": 3, "board": "3", "ranks": 7, "suits": 1},
            ),
            GameSpec(
                name="river-of-blood",
                title="River of Blood",
                factory=river_of_blood,
                position="untilt.games.river_of_blood.RiverOfBlood",
                summary="no-limit hold'em whose board runs on while its last card is red",
                amounts=_CHIPS,
                small={"stack": 3, "board": "2/1", "ranks": 4, "suits": 2},
            ),
            GameSpec(
                name="abstract",
                title="Abstract Game",
                factory=abstract_game,
                position="untilt.abstraction.abstract_game.AbstractPosition",
                summary="another game with coarser infosets and bets; Kuhn, Q and K alike",
                infosets=8,
                action_variables=16,
                sequences=(9, 9),
                terminals=30,
                known_value=0.0,
                value_source="sequence-form linear program",
                is_derived=True,
            ),
            GameSpec(
                name="goofspiel",
                title="Goofspiel",
                factory=goofspiel,
                position="untilt.games.goofspiel.Goofspiel",
                summary="both bid cards for prizes and learn only who won; 4 cards",
                infosets=162,
                action_variables=348,
                sequences=(175, 175),
                terminals=576,
                known_value=0.0,
                value_source="both players have the same cards, and bid at once",
            ),
            GameSpec(
                name="liars-dice",
                title="Liar's Dice",
                factory=liars_dice,
                position="untilt.games.liars_dice.LiarsDice",
                summary="one die of four sides each; bid higher, or say liar",
                infosets=512,
                action_variables=1_528,
                sequences=(765, 765),
                terminals=4_080,
                known_value=Fraction(1, 16),
                value_source="sequence-form linear program",
            ),
            GameSpec(
                name="matching-pennies",
                title="Matching Pennies",
                factory=matching_pennies,
                position="untilt.games.matrix.MatchingPennies",
                summary="two coins, shown at once; player 0 wins if they match",
                infosets=2,
                action_variables=4,
                sequences=(3, 3),
                terminals=4,
                known_value=0.0,
                value_source="symmetry",
            ),
            GameSpec(
                name="matrix",
                title="Matrix Game",
                factory=matrix,
                position="untilt.games.matrix.MatrixGame",
                summary="any table of payoffs; rock, paper, scissors",
                infosets=2,
                action_variables=6,
                sequences=(4, 4),
                terminals=9,
                known_value=0.0,
                value_source="symmetry",
            ),
            GameSpec(
                name="auction",
                title="Sealed-Bid Auction",
                factory=auction,
                position="untilt.games.markets.auction.Auction",
                summary="two bidders with private values; first, second or uniform price",
                infosets=10,
                action_variables=60,
                sequences=(31, 31),
                terminals=900,
                is_zero_sum=False,
            ),
            GameSpec(
                name="market-maker",
                title="Market Maker",
                factory=market_maker,
                position="untilt.games.markets.market_maker.MarketMaker",
                summary="a dealer quotes a bid-ask spread to a trader who may be informed",
                infosets=73,
                action_variables=222,
                sequences=(7, 217),
                terminals=396,
                is_zero_sum=False,
            ),
            GameSpec(
                name="order-routing",
                title="Order Routing",
                factory=order_routing,
                position="untilt.games.markets.order_routing.OrderRouting",
                summary="a trader routes an order to a lit or a dark venue, against a dealer",
                infosets=9,
                action_variables=19,
                sequences=(17, 4),
                terminals=24,
                is_zero_sum=False,
            ),
            GameSpec(
                name="limit-order",
                title="Limit Order Book",
                factory=limit_order,
                position="untilt.games.markets.limit_order.LimitOrder",
                summary="two traders place limit or market orders in a small book",
                infosets=134,
                action_variables=326,
                sequences=(235, 93),
                terminals=560,
                is_zero_sum=False,
            ),
        )
    }
)
"""The games that come with Untilt."""


def _spec_of(name: str, given: object) -> GameSpec:
    """Return the row of a game that is registered by other code, or raise ValueError."""
    if isinstance(given, GameSpec):
        if given.name != name:
            raise ValueError(f"its GameSpec has the name {given.name!r}")
        return given
    if is_position(given):
        position = verify_position(given, name)
        return GameSpec(name, _title_of(name), lambda: position, _class_of(given), "")
    if not callable(given):
        raise ValueError(
            f"{shortened(given)} is neither a position, nor a class or function that makes one, "
            "nor a GameSpec"
        )
    words = (given.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    kind = _class_of(given) if isinstance(given, type) else ""
    return GameSpec(name, _title_of(name), given, kind, words[:_LONGEST_SUMMARY])


def _title_of(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").title()


def _class_of(given: object) -> str:
    kind = given if isinstance(given, type) else type(given)
    return f"{kind.__module__}.{kind.__qualname__}"


_LONGEST_SUMMARY = 100

REGISTRY = Catalogue("game", "untilt.games", _OWN, _spec_of)
"""All games by name: those of `REGISTRY.own` come with Untilt, others are registered or offered
by other packages."""


def register_game(
    name: str,
    game: "GameSpec | Game | Callable[..., Game]",
    *,
    title: str | None = None,
    summary: str | None = None,
    replace: bool = False,
) -> GameSpec:
    """Give a game a name, for `untilt.solve(name)` and all other functions of this process.

    `game` is a root position, a class or function that makes one from parameters, or a `GameSpec`
    with facts to be shown. `title` and `summary` are shown to people. A name that is taken is
    refused; with `replace`, one that was registered before is replaced. To add a game to the
    commands, offer it through an entry point `untilt.games` of a package.

    >>> import untilt
    >>> from untilt.games.matrix import matrix
    >>> def chicken(crash: float = -10.0) -> untilt.Game:
    ...     return matrix(payoffs=f"0 -1; 1 {crash}")
    >>> spec = untilt.games.register_game("chicken", chicken, title="Chicken", replace=True)
    >>> untilt.games.compile("chicken", parameters={"crash": -5.0}).num_infosets
    2
    """
    for what, text in (("title", title), ("summary", summary)):
        if text is not None and not (isinstance(text, str) and len(text.splitlines()) == 1):
            raise InvalidOption.of(what, text, "it must be one line of text")
    given: object = game
    if title is not None or summary is not None:
        try:
            spec = _spec_of(name, game)
        except ValueError as error:
            raise InvalidOption(
                f"the game {shortened(name)} cannot be registered: {error}"
            ) from None
        given = dataclasses.replace(
            spec, title=title or spec.title, summary=spec.summary if summary is None else summary
        )
    return REGISTRY.register(name, given, replace=replace)


def resolve(reference: str, parameters: Mapping[str, ParameterValue] = _NO_PARAMETERS) -> NamedGame:
    """Return the game that `reference` names, made with `parameters`.

    Parameters given as text are converted to the types that the game expects.
    A reference to a Python file or module executes it.
    """
    reference = _text(reference)
    if reference in REGISTRY:
        spec = REGISTRY[reference]
        accepted = parameters_of(spec.factory)
        bound = bind_parameters(reference, accepted, _in_chips(spec, accepted, parameters))
        if reference not in REGISTRY.own:
            with wrap_user_errors(reference):
                made = verify_position(spec.factory(**bound), reference)
            return NamedGame(made, spec.name, spec.title, reference, bound, is_builtin=False)
        game = spec.factory(**bound)
        if spec.states_parameters:
            bound = dict(getattr(game, "parameters"))  # noqa: B009 — not part of the protocol
        return NamedGame(game, spec.name, spec.title, reference, bound, is_builtin=True)
    if reference.startswith(_OPENSPIEL):
        return _resolve_openspiel(reference, parameters)
    if reference.endswith(GAMBIT_SUFFIXES):
        return _resolve_gambit(reference, parameters)
    source, attribute = _split(reference)
    if attribute is not None or _is_file(source):
        return _resolve_user(reference, source, attribute, parameters)
    raise _no_game(reference)


def _in_chips(
    spec: GameSpec, accepted: Sequence[Parameter], given: Mapping[str, ParameterValue]
) -> Mapping[str, ParameterValue]:
    """Return the parameters with amounts in big blinds, such as 20bb, as the game counts them."""
    verify_mapping(given)
    texts = {name: given[name] for name in spec.amounts if name in given}
    in_bb = {
        name: text
        for name, text in texts.items()
        if isinstance(text, str) and text.strip().lower().endswith("bb")
    }
    if not in_bb:
        return given
    defaults = {each.name: each.default for each in accepted}
    asked = given.get("big_blind", defaults.get("big_blind", 1))
    blind = number_in(asked) if isinstance(asked, str) else number_of(asked)
    found = dict(given)
    for name, text in in_bb.items():
        amount = Amount.read(name, text, "give chips such as 200, or big blinds such as 92.5bb")
        if "big_blind" not in defaults:
            found[name] = amount.number
        elif isinstance(blind, int):
            chips = amount.times(blind)
            if chips is None:
                raise InvalidOption(
                    f"{name}={text} is {amount.number * blind:.10g} chips of a big blind of "
                    f"{blind}; chips are whole: give another number, or another big_blind"
                )
            found[name] = chips
    return found


def _no_game(reference: str) -> UntiltError:
    """Return the error for a reference that is neither a known name nor a game file."""
    # Text that cannot be a path raises OSError or ValueError.
    is_folder, is_file = False, False
    with suppress(OSError, ValueError):
        is_folder, is_file = Path(reference).is_dir(), Path(reference).is_file()
    if is_folder:
        return GameError(
            f"{reference!r} is a folder; give the name of a game or a file. To continue the run in "
            f"a folder: `untilt solve --resume {reference}`"
        )
    if is_file:
        return GameError(
            f"{reference!r} is not a game file; give a .py, .efg or .nfg file, or one of "
            f"{', '.join(REGISTRY.names())}"
        )
    return UnknownName.among("game", reference, REGISTRY.names())


def _resolve_openspiel(reference: str, parameters: Mapping[str, ParameterValue]) -> NamedGame:
    from untilt.games.openspiel import load_openspiel

    loaded = load_openspiel(reference.removeprefix(_OPENSPIEL), parameters)
    name = f"openspiel-{loaded.name}"
    return NamedGame(
        loaded.game, name, loaded.title, reference, loaded.parameters, is_builtin=False
    )


def _resolve_gambit(reference: str, parameters: Mapping[str, ParameterValue]) -> NamedGame:
    from untilt.games.efg import read_efg
    from untilt.games.nfg import read_nfg

    bind_parameters(reference, (), parameters)  # refuses any
    game: Game
    if reference.endswith(NFG_SUFFIX):
        game = table = read_nfg(reference)
        title = table.rules.title
    else:
        game = read = read_efg(reference)
        title = read.tree.title
    name = _name_for_folder(Path(reference).stem)
    title = " ".join(title.split()) or name
    return NamedGame(game, name, title, reference, {}, is_builtin=False)


def _resolve_user(
    reference: str,
    source: str,
    attribute: str | None,
    parameters: Mapping[str, ParameterValue],
) -> NamedGame:
    is_file = _is_file(source)
    module = load_file(source) if is_file else load_module(source)
    found: Any = attribute_of(module, attribute, source)
    bound: dict[str, ParameterValue] = {}
    if is_position(found) or not callable(found):
        bind_parameters(reference, (), parameters)  # refuses any
    else:
        accepted = without_state(found, parameters_of(found), parameters)
        bound = bind_parameters(reference, accepted, parameters)
        with wrap_user_errors(reference):
            found = found(**bound)
    game = verify_position(found, reference)
    stem = Path(source).stem if is_file else source.rpartition(".")[2]
    name = stem if attribute in (None, DEFAULT_ATTRIBUTE) else str(attribute)
    name = _name_for_folder(name)
    title = name.replace("_", " ").title() if name.islower() else name
    own = name_position(game)
    if own.is_builtin and REGISTRY.own[str(own.reference)].is_derived:
        return replace(own, name=name, title=title)
    return NamedGame(game, name, title, reference, bound, is_builtin=False)


def _name_for_folder(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "game"


def _split(reference: str) -> tuple[str, str | None]:
    """Return source and attribute; the colon of a Windows drive does not separate them."""
    if reference.endswith(".py"):
        return reference, None
    source, colon, attribute = reference.rpartition(":")
    if not colon:
        return reference, None
    if not source or not attribute.isidentifier():
        raise GameError(
            f"cannot read {reference!r}: a game is given as path/to/file.py:attribute, "
            f"package.module:attribute or one of {', '.join(REGISTRY.names())}"
        )
    return source, attribute


def _is_file(source: str) -> bool:
    separators = {"/", os.sep}
    return source.endswith(".py") or any(separator in source for separator in separators)


GameLike = Game | NamedGame | type[Game] | Callable[..., Game] | str | os.PathLike[str]
"""Anything that stands for a game: a position, a class or function that makes one, a reference."""


def name_game(
    game: GameLike, parameters: Mapping[str, ParameterValue] = _NO_PARAMETERS
) -> NamedGame:
    """Return the game that `game` stands for: a reference, or an object of Python.

    `parameters` apply to a reference, a class or a function.
    """
    verify_mapping(parameters)
    if isinstance(game, str | os.PathLike):
        return resolve(os.fspath(game), parameters)
    if callable(game) and not is_position(game):
        return _name_made(game, parameters)
    if parameters:
        raise InvalidOption("a position takes no parameters; give the game by name instead")
    return game if isinstance(game, NamedGame) else name_position(game)  # type: ignore[arg-type]


def _text(reference: str | os.PathLike[str]) -> str:
    text = os.fspath(reference) if isinstance(reference, str | os.PathLike) else None
    try:
        if isinstance(text, str) and b"\0" not in text.encode():
            return text
    except UnicodeEncodeError:
        pass
    raise UnknownName(f"{shortened(reference)} is not the name or file of a game")


def _name_made(factory: Callable[..., Any], parameters: Mapping[str, ParameterValue]) -> NamedGame:
    """Return the game that a class or function makes."""
    for spec in REGISTRY.loaded().values():
        if factory is spec.factory:
            return resolve(spec.name, parameters)
    source = str(getattr(factory, "__name__", type(factory).__name__))
    bound = bind_parameters(source, parameters_of(factory), parameters)
    with wrap_user_errors(source):
        made = factory(**bound)
    named = name_position(verify_position(made, source))
    return named if named.is_builtin else replace(named, parameters=bound)


def name_position(game: Game) -> NamedGame:
    """Return a position made in Python, under the name of its registered game.

    A user's game is named after its class and has no reference.
    """
    kind = _class_of(game)
    for spec in REGISTRY.own.values():
        if spec.position == kind:
            given = getattr(game, "parameters", {})
            if given is None:  # other code is needed to make it
                break
            return NamedGame(game, spec.name, spec.title, spec.name, given, is_builtin=True)
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(game).__name__).lower()
    return NamedGame(
        verify_position(game, None),
        name,
        name.replace("_", " ").title(),
        None,
        {},
        is_builtin=False,
    )
