"""`untilt play`."""

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from untilt.cli.app.seeds import SeedOption, seed_or_new
from untilt.cli.app.sources import Json, Parameters, game_words, parse_parameters, users_code
from untilt.cli.options.option_flags import setting_of
from untilt.cli.text.insight_text import cost_words, range_grids, thought_line
from untilt.errors import GameTooLarge, InvalidOption, NotZeroSum, RunError
from untilt.options.playing import AGAINST, BOARD, HANDS, LINE, RANGES, SEAT, SKIP
from untilt.options.run import TRUST, told
from untilt.options.thinking import THINK

if TYPE_CHECKING:
    from untilt.game.actions import ActionData
    from untilt.game.terms import Terms
    from untilt.play.review.replay import PlayState
    from untilt.play.review.review import Reviewed
    from untilt.play.table.score import Score
    from untilt.play.table.versus import Versus
    from untilt.policy.hands.turn import Decision, Turn

_QUIT = {"q", "quit", "exit"}
_HELP = {"?", "h", "help"}
_RANGES = {"r", "ranges"}
_MANY_SIZES = 8
"""If a bet has more sizes than this, they are shown as a range."""


_ALTERNATE = "alternate"


def play(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[GAME|RUN|FILE.json]",
            help="The folder of a run, a blueprint, a strategy file such as that of `untilt fit`, "
            "or a game as for `untilt solve`, which is solved first.",
        ),
    ] = "kuhn",
    seat: Annotated[
        str,
        setting_of(SEAT),
    ] = _ALTERNATE,
    hands: Annotated[
        int | None,
        setting_of(HANDS),
    ] = None,
    skip: Annotated[
        bool,
        setting_of(SKIP),
    ] = False,
    line: Annotated[
        str,
        setting_of(LINE),
    ] = "",
    board: Annotated[
        str | None,
        setting_of(BOARD),
    ] = None,
    against: Annotated[
        str | None,
        setting_of(AGAINST),
    ] = None,
    think: Annotated[
        str | None,
        setting_of(
            told(THINK, "Of a blueprint: solve streets at the table for this long, 0.3s or 500ms.")
        ),
    ] = None,
    ranges: Annotated[
        bool,
        setting_of(RANGES),
    ] = False,
    seed: SeedOption = None,
    parameter: Parameters = None,
    trust: Annotated[
        bool,
        setting_of(
            told(
                TRUST,
                "Allow running the Python code of a run's game, if the run saved no histories, or "
                "of an agent.",
            )
        ),
    ] = False,
    as_json: Json = False,
) -> int:
    """Play against an equilibrium, and see after every hand what mistakes cost.

    Answer with the name of an action, its beginning or its number; ? shows the rules, q quits.
    Against a blueprint, r shows both ranges as it sees them. Against the strategy of a file, such
    as a fitted opponent, mistakes are measured by the best response to it.
    """
    from untilt.cli.app.output import print_json
    from untilt.runs.interrupt import signal_of

    if hands is not None and hands < 1:
        raise InvalidOption(f"--hands is {hands}; give 1 or more")
    number = seed_or_new(seed)
    if against is None:
        opponent = _opponent(
            source, parse_parameters(parameter), line, board, think, seat, trust=trust
        )
    elif line or board is not None:
        raise InvalidOption("--line and --board need the run of a spot: leave them out")
    elif think is not None:
        raise InvalidOption('--think goes into the agent: --against "bp/ --think 1s"')
    else:
        opponent = _agent(against, source, parse_parameters(parameter), trust=trust)
    if ranges:
        _verify_ranges(opponent)
    _verify_seat(opponent, seat)
    stream = sys.stderr if as_json else sys.stdout
    session = _Session(opponent, seat, number, stream, skips=skip, shows_ranges=ranges)
    status = 0
    try:
        session.play(hands)
    except KeyboardInterrupt as error:
        session.write("\n")
        status = 128 + signal_of(error)
    if as_json:
        print_json(
            {
                "game": opponent.name,
                "parameters": dict(opponent.parameters),
                "unit": opponent.terms.unit,
                "seed": number,
                **session.score.to_json(),
                "played": [state.to_json() for state in session.played],
            }
        )
    else:
        session.write(f"\n{score_line(session.score, opponent.terms.unit)}\n")
    return status


def _verify_seat(opponent: "Versus", seat: str) -> None:
    _verify_seat_of(opponent.num_players, seat)
    if seat != _ALTERNATE and not opponent.decides[int(seat)]:
        others = [str(player) for player, decides in enumerate(opponent.decides) if decides]
        raise InvalidOption(
            f"player {seat} has no decisions in this game; give --seat {' or '.join(others)}"
        )


def _verify_seat_of(num_players: int, seat: str) -> None:
    seats = [str(player) for player in range(num_players)]
    if seat not in (*seats, _ALTERNATE):
        raise InvalidOption.of("seat", seat, f"give {', '.join(seats)} or {_ALTERNATE}")


def _verify_ranges(opponent: "Versus") -> None:
    if opponent.thoughts is None:
        raise InvalidOption("--ranges is for blueprints, which know ranges: leave it out")


def _opponent(
    source: str,
    parameters: dict[str, str],
    line: str,
    board: str | None,
    think: str | None,
    seat: str,
    *,
    trust: bool,
) -> "Versus":
    """Return the opponent: the strategy of a run folder, or that of a game solved now."""
    from untilt.formats.kinds.blueprint_path import is_blueprint
    from untilt.games.registry import REGISTRY
    from untilt.play.table.versus import load_versus

    # A registered name means the game, even if a folder has that name; ./kuhn is a run.
    if source in REGISTRY or not (Path(source).is_dir() or is_blueprint(source)):
        if trust:
            raise InvalidOption(
                "--trust needs a run; a game given by name runs without it, so leave --trust out"
            )
        if line or board is not None:
            raise InvalidOption("--line and --board need the run of a spot: leave them out")
        if think is not None:
            raise InvalidOption("--think needs a blueprint: leave it out")
        path = Path(source)
        if path.suffix == ".json" and path.is_file():
            return _of_file(path, parameters)
        return _solved(source, parameters, seat)
    if parameters:
        raise InvalidOption(
            "-p sets a parameter of a game; a run records its parameters: leave -p out"
        )
    thinking = {} if think is None else {"think": think}
    with users_code():
        return load_versus(source, trust=trust, line=line, board=board, thinking=thinking)


def _agent(text: str, game: str, parameters: dict[str, str], *, trust: bool) -> "Versus":
    """Return a match agent as the opponent."""
    from untilt.play.table.versus import versus_policy
    from untilt.policy.load import load_agents, parse_agent
    from untilt.policy.saved.match_game import named_game

    spec = parse_agent(text)
    with users_code():
        found, (policy,) = load_agents([spec], named_game(game, parameters), trust=trust)
    return versus_policy(found, policy)


def _of_file(path: Path, parameters: dict[str, str]) -> "Versus":
    """Return the strategy of a file, which names its game; values are those of best responses."""
    from untilt.cli.app.sources import read_source
    from untilt.evaluation.action_values import action_values
    from untilt.evaluation.best_response import best_response
    from untilt.game.histories.tree import GameTree
    from untilt.game.histories.tree_position import TreePosition
    from untilt.game.strategy.strategy import Profile
    from untilt.game.terms import terms_of
    from untilt.games.registry import resolve
    from untilt.number import plain
    from untilt.play.table.versus import versus_strategy
    from untilt.policy.saved.match_game import MatchGame

    if parameters:
        raise InvalidOption(
            "-p sets a parameter of a game; the strategy file records them: leave -p out"
        )
    try:
        found = read_source(path)
    except InvalidOption as error:
        raise InvalidOption(
            f"{path} does not name a game that comes with Untilt; give the game, and add "
            f"--against {path}"
        ) from error
    form, strategies = found.game.plan_form(), found.profile.strategies
    answers = [best_response(form, found.profile, player)[0] for player in range(form.num_players)]
    root = resolve(found.game_name, found.parameters).game
    tree = TreePosition.root_of(found.game, root) if found.game.has(GameTree) else root
    game = MatchGame(
        *(found.game_name, found.title, plain(found.parameters), tree, found.game, terms_of(root))
    )
    answered = [
        Profile((*strategies[:player], answer, *strategies[player + 1 :]))
        for player, answer in enumerate(answers)
    ]
    values = tuple(
        action_values(form, profile, player).conditional for player, profile in enumerate(answered)
    )
    return versus_strategy(game, found.profile, values, called=str(path))


def _solved(game: str, parameters: dict[str, str], seat: str) -> "Versus":
    from untilt.cli.app.output import say
    from untilt.evaluation.action_values import conditional_values
    from untilt.game.histories.tree import GameTree
    from untilt.game.histories.tree_position import TreePosition
    from untilt.game.protocol import num_players_of
    from untilt.game.terms import terms_of
    from untilt.games.registry import resolve
    from untilt.number import plain
    from untilt.play.table.versus import versus_strategy
    from untilt.policy.saved.match_game import MatchGame
    from untilt.runs.solve import solve

    if "/" in game and ":" not in game and Path(game).suffix not in (".py", ".efg", ".nfg"):
        raise RunError(f"{game} is not the folder of a run; check the path, or give a game's name")
    words = game_words(game, parameters)
    with users_code():
        named = resolve(game, parameters)
        _verify_seat_of(num_players_of(named.game), seat)  # before minutes of solving
        say(f"solving {named.name} …")
        try:
            run = solve(named, save=False)
        except NotZeroSum as error:
            raise NotZeroSum(
                f"the payoffs of {named.name} do not sum to zero, so it has no single equilibrium "
                f"to play: run `untilt qre {words} --limit --output RUN`, then `untilt play RUN`"
            ) from error
        except GameTooLarge as error:
            trust = "" if named.is_builtin else " --trust"
            raise GameTooLarge(
                f"{named.name} is too large to compile and solve here: run `untilt "
                f"solve {words} --method mccfr-external --output RUN`, then "
                f"`untilt play RUN{trust}`; or play a simple agent with --against random"
            ) from error
    say(f"solved to exploitability {run.exploitability:.1e}, not saved; `untilt solve` saves a run")
    root = named.game
    tree = TreePosition.root_of(run.game, root) if run.game.has(GameTree) else root
    parameters_of_game = plain(named.parameters)
    versus = MatchGame(
        *(named.name, named.title, parameters_of_game, tree, run.game, terms_of(root))
    )
    values = conditional_values(run.game.plan_form(), run.profile)
    return versus_strategy(versus, run.profile, values)


class _Session:
    """A person at the table, on a terminal or behind a pipe."""

    def __init__(
        self,
        opponent: "Versus",
        seat: str,
        seed: int,
        stream: TextIO,
        *,
        skips: bool,
        shows_ranges: bool = False,
    ) -> None:
        from untilt.play.table.score import Score

        self.opponent = opponent
        self.seat = seat
        self.seed = seed
        self.skips = skips
        """Whether hands without a decision of the person are counted but not shown."""
        self.shows_ranges = shows_ranges
        self.score: Score = Score()
        self.played: list[PlayState] = []
        self._stream = stream
        self._input: TextIO = sys.stdin or io.StringIO()  # None if the command has no stdin
        if isinstance(self._input, io.TextIOWrapper):
            self._input.reconfigure(errors="replace")

    def write(self, text: str) -> None:
        """Print to the stream of the session, and flush, because a prompt does not end its line."""
        from untilt.cli.app.output import safe

        self._stream.write(safe(text))
        self._stream.flush()

    def play(self, count: int | None) -> None:
        """Play `count` hands, or until the person quits."""
        strategy = self.opponent.described
        self.write(
            f"{self.opponent.title} against {strategy}, seed {self.seed}; "
            "? shows the rules, q ends\n"
        )
        if self.opponent.gap_words:
            self.write(f"{self.opponent.gap_words}\n")
        number = 0
        while count is None or number < count:
            state = self._play_hand(number)
            if state is None:
                return
            assert state.payoff is not None
            assert state.review is not None
            self.score.add(state.payoff, state.review)
            self.played.append(state)
            if state.review or not self.skips:
                self._tell_end(state, state.review, strategy)
            number += 1

    def _play_hand(self, number: int) -> "PlayState | None":
        """Return the state at the end of hand `number`; None if the person left before."""
        from untilt.play.narration import named
        from untilt.play.review.replay import seat_of_hand, state_of_hand

        seat = seat_of_hand(number, self.seat, self.opponent.num_players)
        actions: list[str] = []
        told: list[Decision] = []
        while True:
            state = state_of_hand(
                self.opponent, seed=self.seed, hand=number, seat=seat, actions=actions
            )
            if self.skips and state.is_over and not state.review:
                return state
            if not actions:
                holding = f" with {state.private}" if state.private else ""
                you = named(self.opponent.terms, seat)
                self.write(f"\nHand {number + 1}: you are {you}{holding}\n")
            self._tell(state, told)
            if state.to_act is None:
                return state
            answer = self._ask(state)
            if answer is None:
                return None
            actions.append(answer)

    def _tell(self, state: "PlayState", told: "list[Decision]") -> None:
        """Print what the opponent has done since the last time."""
        board = told[-1].public if told else ""
        for event in state.events:
            if event in told:
                continue
            told.append(event)
            if event.player != state.seat:
                self._tell_board(event.public, board)
                self.write(f"  {state.words_of(event)}\n")
            board = event.public
        self._tell_board(state.public, board)

    def _tell_board(self, public: str, before: str) -> None:
        from untilt.play.narration import public_words

        if public and public != before:
            self.write(f"  {public_words(public, self.opponent.terms)}\n")

    def _ask(self, state: "PlayState") -> str | None:
        """Return the person's action; None if the person quits or the input ends."""
        from untilt.play.narration import chips_words, situation

        terms, chips, turn = self.opponent.terms, state.chips, state.to_act
        assert turn is not None, "it is the person's turn"
        if chips is not None:
            self.write(f"  {chips_words(chips, terms, turn.player)}\n")
        choices = ", ".join(_choices(turn))
        while True:
            self.write(f"  {situation(turn, terms)}: {choices}? ")
            line = self._input.readline()
            if not line:
                self.write("\n")
                return None
            answer = line.strip()
            if not self._input.isatty():
                self.write(f"{answer}\n")  # a terminal shows what is typed, a pipe does not
            if answer not in turn.actions:
                if answer.lower() in _QUIT:
                    return None
                if answer.lower() in _HELP:
                    rules = [terms.rules] if terms.rules else []
                    for line in (*rules, _explained(turn)):
                        self.write(f"  {line}\n")
                    continue
                if answer.lower() in _RANGES and state.now is not None:
                    self.write(range_grids(state.now, state.seat))
                    continue
            found = actions_meant(answer, turn)
            if len(found) == 1:
                return found[0]
            if found:
                listed = " or ".join(found[:4]) + (" …" if len(found) > 4 else "")
                self.write(f"  {answer[:20]!r} may be {listed}: type more of it\n")
            else:
                self.write(f"  {answer[:20]!r} is not an action here. {_explained(turn)}\n")

    def _tell_end(self, state: "PlayState", review: "list[Reviewed]", strategy: str) -> None:
        from untilt.play.narration import named

        terms = self.opponent.terms
        if state.runout is not None:
            self.write(f"  board {' '.join(state.runout.faces)}: {state.runout.words}\n")
        held = ", ".join(
            f"{named(terms, each.seat)} had {each.private}"
            for each in state.opponents
            if each.private
        )
        self.write(f"  {_result(state)} · {state.verdict}{'; ' * bool(held)}{held}\n")
        if state.runout is not None:
            self.write(f"  {state.outcome}\n")
        for each in review:
            self.write(f"  {review_line(each, strategy, terms)}\n")
        for thought in state.thoughts:
            self.write(f"  {thought_line(thought, terms)}\n")
            if self.shows_ranges:
                self.write(range_grids(thought.hand, state.seat))


def actions_meant(answer: str, turn: "Turn") -> list[str]:
    """Return the actions that an answer may mean: by name, by number from 1, by beginning.

    If bets of many sizes are possible, a number is a size: `25`, `r25` and `raise to 25`.
    """
    actions = turn.actions
    if answer in actions:
        return [answer]
    small = answer.lower()
    if _has_many_sizes(turn):
        size = re.fullmatch(r"(?:b|bet|r|raise|a|all-in)?(?: to)? *(\d+)", small)
        if size is not None:
            return [each.name for each in _sized(turn) if each.amount == float(size[1])]
    else:
        numbered = {str(number): action for number, action in enumerate(actions, start=1)}
        if answer in numbered:
            return [numbered[answer]]
    same = [action for action in actions if action.lower() == small]
    return same or [action for action in actions if small and action.lower().startswith(small)]


def _sized(turn: "Turn") -> "list[ActionData]":
    """Return the bets and raises of a turn."""
    from untilt.game.actions import Kind

    kinds = (Kind.BET, Kind.RAISE, Kind.ALL_IN)
    return [action for action in turn.legal if action.kind in kinds and action.amount is not None]


def _has_many_sizes(turn: "Turn") -> bool:
    return len(_sized(turn)) > _MANY_SIZES


def _choices(turn: "Turn") -> "list[str]":
    """Return the actions as they are offered; many sizes of a bet become a range."""
    from untilt.game.actions import Kind, shown_amount
    from untilt.play.narration import choice_words

    if not _has_many_sizes(turn):
        return [choice_words(turn, action) for action in turn.legal]
    sized = _sized(turn)
    words = [choice_words(turn, action) for action in turn.legal if action not in sized]
    bets = [action for action in sized if action.kind is not Kind.ALL_IN]
    if bets:
        sizes = [shown_amount(each.amount or 0.0) for each in (bets[0], bets[-1])]
        words.append(f"{choice_words(turn, bets[0]).rpartition(' ')[0]} {sizes[0]}–{sizes[1]}")
    return words + [choice_words(turn, each) for each in sized if each.kind is Kind.ALL_IN]


def review_line(reviewed: "Reviewed", strategy: str, terms: "Terms") -> str:
    """Return what was done, what the strategy does, and what the difference cost."""
    from dataclasses import replace

    from untilt.game.actions import Kind
    from untilt.play.narration import move_words, public_words, situation, third_person

    decision = reviewed.decision
    place = situation(replace(decision, public=""), terms)
    place += f" with {decision.private}" if decision.private else ""
    place += f", {public_words(decision.public, terms)}" if decision.public else ""
    percents = [f"{100.0 * probability:.1f} %" for probability in reviewed.probabilities]
    pairs = list(zip(decision.actions, percents, strict=True))
    if _has_many_sizes(decision):
        pairs = [pair for pair in pairs if pair[1] != "0.0 %"]
    if all(action.kind is not Kind.OTHER for action in decision.legal):
        shares = ", ".join(
            f"{third_person(decision, action, terms)} {percent}" for action, percent in pairs
        )
    else:
        played = [f"{action} ({percent})" for action, percent in pairs if percent != "0.0 %"]
        shares = f"plays {', '.join(played)}"
    cost = "cost not known" if reviewed.cost is None else f"cost {reviewed.cost:.3f}"
    if reviewed.insight is not None and reviewed.cost is not None:
        cost = cost_words(reviewed.insight)
    return f"{place}: {move_words(decision, terms, is_you=True)}; {strategy} {shares}; {cost}"


def score_line(score: "Score", unit: str) -> str:
    """Return the score of a session in one line."""
    if score.mean is None:
        return "no hand was completed"
    interval = score.interval
    spread = "" if interval is None else f" (95 %: {interval[0]:+.3f} to {interval[1]:+.3f})"
    return (
        f"{_counted(score.num_hands, 'hand')}: {score.total:+.6g} {unit}, "
        f"{score.mean:+.3f} a hand{spread}; {_counted(score.num_mistakes, 'mistake')} in "
        f"{_counted(score.num_decisions, 'decision')}, cost {score.cost:.3f} {unit}"
    )


def _explained(turn: "Turn") -> str:
    if _has_many_sizes(turn):
        return (
            f"Type a name or its beginning, or the size of a bet: {', '.join(_choices(turn))}; q "
            "quits and shows the score."
        )
    numbered = ", ".join(f"{number} {name}" for number, name in enumerate(turn.actions, start=1))
    return f"Type a name, its beginning or its number: {numbered}; q quits and shows the score."


def _result(state: "PlayState") -> str:
    """Return what the person won or lost; both players' gains if these do not sum to zero."""
    assert state.payoff is not None
    if not state.is_zero_sum:
        return str(state.outcome)
    if not state.payoff:
        return "you break even"
    return f"you {'win' if state.payoff > 0 else 'lose'} {_amount(state.payoff, state.terms.unit)}"


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _amount(payoff: float, unit: str) -> str:
    shown = f"{abs(payoff):.4g}"
    return f"{shown} {unit.removesuffix('s') if shown == '1' else unit}"
