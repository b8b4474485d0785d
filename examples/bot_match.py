"""Play a bot against the equilibrium of Leduc hold'em, and measure what its habits cost."""

import tempfile
from collections import defaultdict

import untilt
from untilt.play import Clock, Score, Table, Turn, Uniforms, Versus, review_decisions

NUM_HANDS = 4_000


class Careful:
    """Bets pairs and kings, rarely anything else, and folds a jack to any bet."""

    def act(self, turn: Turn, rng: Uniforms, clock: Clock) -> str:
        """Return the action for the card, the board and the legal actions."""
        card, board = turn.private, turn.public
        is_strong = card in (board, "K")
        if "call" in turn.actions:
            return "call" if is_strong or card == "Q" else "fold"
        # Use no randomness but `rng`, so every hand can be replayed.
        return "bet" if is_strong or rng.random() < 0.1 else "check"


with tempfile.TemporaryDirectory() as folder:
    untilt.solve("leduc", target=1e-4, output=f"{folder}/leduc")
    opponent = Versus.load(f"{folder}/leduc")

score = Score()
cost_of_habit: defaultdict[str, float] = defaultdict(float)
table = Table(
    opponent.root,
    (Careful(), opponent.policy),
    seed=1,
    is_alternating=True,
    rules=opponent.rules,
)
for hand in table.play(NUM_HANDS):
    seat = hand.agents.index(0)  # the bot is agent 0, wherever it sits
    reviewed = review_decisions(hand.decisions, seat, opponent.profile, opponent.values)
    score.add(hand.gain(0), reviewed)
    for each in reviewed:
        habit = f"{each.decision.action} with {each.decision.private}, {each.decision.words}"
        cost_of_habit[habit] += (each.cost or 0.0) / NUM_HANDS

assert score.mean is not None
assert score.interval is not None
low, high = score.interval
print(
    f"{score.num_hands:,} hands: {score.mean:+.3f} chips a hand (95 %: {low:+.3f} to {high:+.3f})"
)
print(f"mistakes cost {score.cost / NUM_HANDS:.3f} chips a hand, most of it by these habits:")
for habit, cost in sorted(cost_of_habit.items(), key=lambda item: -item[1])[:5]:
    print(f"  {cost:.3f}  {habit}")

# In the long run the bot loses what its mistakes cost: seats alternate, so the game is fair.
assert 0.0 < score.cost / NUM_HANDS < 0.5
assert low - (high - low) < -score.cost / NUM_HANDS < high + (high - low)
