"""Kuhn poker, broken in one way per class; `Sound` is not broken."""

import itertools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from untilt.game.compiled import compile_histories
from untilt.game.protocol import Action, Game, Uniforms, sample_chance
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games.kuhn import Kuhn


class Knowledge:
    """An infoset of Kuhn with its identity, hash and label apart, so that each can be broken."""

    def __init__(self, player: int, private: str, line: str) -> None:
        self.player, self.private, self.line = player, private, line

    def actions(self) -> Sequence[str]:
        return ("fold", "call") if self.line.endswith("b") else ("check", "bet")

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


class Sound(Game):
    knowledge: Any = Knowledge

    def __init__(self, kuhn: Kuhn | None = None) -> None:
        self.kuhn = kuhn or Kuhn()

    @property
    def terminal(self) -> bool:
        return self.kuhn.terminal

    @property
    def chance(self) -> bool:
        return self.kuhn.chance

    @property
    def active(self) -> int:
        return self.kuhn.active

    def payoff(self, player: int) -> float:
        return self.kuhn.payoff(player)

    def chances(self) -> Iterable[tuple[Action, float]]:
        return self.kuhn.chances()

    def infoset(self, player: int) -> Any:
        return self.knowledge(player, self.kuhn.cards[player], self.kuhn.line)

    def apply(self, action: Action) -> Game:
        return type(self)(self.kuhn.apply(action))


class Raises(Sound):
    def apply(self, action: Action) -> Game:
        if self.kuhn.line == "c":
            raise RuntimeError("out of\ncards")
        return super().apply(action)


class Exits(Sound):
    def apply(self, action: Action) -> Game:
        sys.exit(0)


class NeverEnds(Sound):
    def apply(self, action: Action) -> Game:
        return self


class Prints(Sound):
    def apply(self, action: Action) -> Game:
        print("{")
        return super().apply(action)


class ChangesInPlace(Sound):
    def apply(self, action: Action) -> Game:
        self.kuhn = self.kuhn.apply(action)
        return type(self)(self.kuhn)


class SharesItsLine(Sound):
    """Positions of one play share a list, so that later moves show in earlier positions."""

    def __init__(self, kuhn: Kuhn | None = None, moves: tuple[list[str], int] = ([], 0)) -> None:
        super().__init__(kuhn)
        self.moves, self.length = moves

    def infoset(self, player: int) -> Any:
        return Knowledge(player, self.kuhn.cards[player] + f".{len(self.moves)}", self.kuhn.line)

    def apply(self, action: Action) -> Game:
        moves = [] if self.kuhn.chance else self.moves
        if len(moves) < self.length + 1:
            moves.append(str(action))
        length = 0 if self.kuhn.chance else self.length + 1
        return type(self)(self.kuhn.apply(action), (moves, length))


class FickleKnowledge(Knowledge):
    calls = itertools.count()

    def actions(self) -> Sequence[str]:
        step = 1 if next(self.calls) % 2 else -1
        return super().actions()[::step]


class Fickle(Sound):
    knowledge = FickleKnowledge


class NamelessKnowledge(Knowledge):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Nameless(Sound):
    knowledge = NamelessKnowledge


class ScatteredKnowledge(Knowledge):
    __hash__ = object.__hash__


class Scattered(Sound):
    knowledge = ScatteredKnowledge


class MergedKnowledge(Knowledge):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self._key() == other._key()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, str]:
        return self.player, self.line

    def __str__(self) -> str:
        return f"P{self.player}:{self.private}:{self.line}"


class Merged(Sound):
    knowledge = MergedKnowledge


class RepeatingKnowledge(Knowledge):
    def actions(self) -> Sequence[str]:
        return (*super().actions(), super().actions()[0])


class Repeating(Sound):
    knowledge = RepeatingKnowledge


class ForgetfulKnowledge(Knowledge):
    def __init__(self, player: int, private: str, line: str) -> None:
        super().__init__(player, "?" if line == "cb" else private, line)


class Forgetful(Sound):
    knowledge = ForgetfulKnowledge


class VaryingKnowledge(Knowledge):
    def __str__(self) -> str:
        return f"P{self.player}:{self.private}"


class Varying(Sound):
    knowledge = VaryingKnowledge


class LosesChance(Sound):
    def chances(self) -> Iterable[tuple[Action, float]]:
        return [(card, 0.9 * p) for card, p in self.kuhn.chances()]


class PaysNan(Sound):
    def payoff(self, player: int) -> float:
        return float("nan")


class PaysBoth(Sound):
    def payoff(self, player: int) -> float:
        return 1.0 + self.kuhn.payoff(player)


class SamplesFairly(Sound):
    def sample(self, rng: Uniforms) -> Action:
        cards = [card for card, _ in self.kuhn.chances()]
        return cards[int(rng.random() * len(cards))]


class SamplesBiased(Sound):
    def sample(self, rng: Uniforms) -> Action:
        cards = [card for card, _ in self.kuhn.chances()]
        return cards[int(rng.random() ** 1.1 * len(cards))]


class SamplesUnlisted(Sound):
    def sample(self, rng: Uniforms) -> Action:
        return "A" if rng.random() < 0.01 else sample_chance(self, rng)


class SamplesTwice(Sound):
    def sample(self, rng: Uniforms) -> Action:
        rng.random()
        return sample_chance(self, rng)


class OnlySampled(SamplesFairly):
    def chances(self) -> Iterable[tuple[Action, float]]:
        raise NotImplementedError


class Misbuilt(Sound):
    """Its own sequence form pays half."""

    def sequence_form(self) -> SequenceForm:
        form = compile_histories(Kuhn()).exact_form()
        sides = [side._replace(payoff=side.payoff / 2.0) for side in form.sides]
        return replace(form, sides=(sides[0], sides[1]))
