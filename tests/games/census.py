"""A slow, obvious walk over all histories of a game, sharing no code with the compiler."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from untilt.game.protocol import Action, Game, InfoSet


@dataclass
class Census:
    """What a walk over all histories found."""

    histories: int = 0
    terminals: int = 0
    actions_of_infoset: dict[InfoSet, tuple[Action, ...]] = field(default_factory=dict)
    player_of_infoset: dict[InfoSet, int] = field(default_factory=dict)
    own_pasts_of_infoset: dict[InfoSet, set[tuple[object, ...]]] = field(default_factory=dict)
    chance_reach: float = 0.0
    """Probability of all terminals under chance alone, each player's actions having weight 1
    divided by their number; 1 when every chance move sums to 1."""
    payoff_sums: set[float] = field(default_factory=set)
    chance_sums: list[float] = field(default_factory=list)

    @property
    def choices(self) -> dict[InfoSet, tuple[Action, ...]]:
        """The infosets that are not forced moves, with their actions."""
        return {
            key: actions for key, actions in self.actions_of_infoset.items() if len(actions) > 1
        }

    @property
    def infosets(self) -> int:
        return len(self.choices)

    @property
    def action_variables(self) -> int:
        return sum(len(actions) for actions in self.choices.values())

    def sequences(self, player: int) -> int:
        own = [key for key in self.choices if self.player_of_infoset[key] == player]
        return 1 + sum(len(self.choices[infoset]) for infoset in own)


def histories(root: Game) -> Iterator[tuple[Game, float, tuple[tuple[object, ...], ...]]]:
    """Yield every position with its uniform reach and what each player saw and did before."""
    stack: list[tuple[Game, float, tuple[tuple[object, ...], ...]]] = [(root, 1.0, ((), ()))]
    while stack:
        position, reach, pasts = stack.pop()
        yield position, reach, pasts
        if position.terminal:
            continue
        if position.chance:
            stack.extend((position.apply(a), reach * p, pasts) for a, p in position.chances())
            continue
        player = position.active
        infoset = position.infoset(player)
        for action in infoset.actions():
            own_past = (*pasts[player], infoset, action)
            after = (own_past, pasts[1]) if player == 0 else (pasts[0], own_past)
            stack.append((position.apply(action), reach / len(infoset.actions()), after))


def take_census(root: Game) -> Census:
    """Return the counts of `root`; asserts that each infoset has one player and one menu."""
    census = Census()
    for position, reach, pasts in histories(root):
        census.histories += 1
        if position.terminal:
            census.terminals += 1
            census.chance_reach += reach
            census.payoff_sums.add(position.payoff(0) + position.payoff(1))
        elif position.chance:
            census.chance_sums.append(sum(probability for _, probability in position.chances()))
        else:
            player = position.active
            infoset = position.infoset(player)
            actions = tuple(infoset.actions())
            assert census.actions_of_infoset.setdefault(infoset, actions) == actions
            assert census.player_of_infoset.setdefault(infoset, player) == player
            census.own_pasts_of_infoset.setdefault(infoset, set()).add(pasts[player])
    return census
