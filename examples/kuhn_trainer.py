"""Kuhn poker from scratch: chance-sampled CFR in plain Python, a first CFR program.

Cards are 1, 2, 3; both players ante one chip, and a bet is one chip. A history lists the moves so
far: C check or call, B bet, F fold. An infoset is the player's card and the history: "3/CB".
"""

import random

DEALS = ((1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2))
PerAction = dict[str, dict[str, float]]  # infoset → action → number
regret_sum, strategy_sum = PerAction(), PerAction()


def payoff(deal: tuple[int, int], history: str) -> int | None:
    """Return what player 0 wins, in chips; None if the game is not over."""
    won = 1 if deal[0] > deal[1] else -1
    return {"CC": won, "BC": 2 * won, "CBC": 2 * won, "BF": 1, "CBF": -1}.get(history)


def shares(weights: dict[str, float]) -> dict[str, float]:
    """Return positive weights divided by their sum; equal shares if none is positive."""
    total = sum(max(weight, 0.0) for weight in weights.values())
    return {a: max(w, 0.0) / total if total else 1 / len(weights) for a, w in weights.items()}


def walk(deal: tuple[int, int], history: str, reach: tuple[float, float]) -> float:
    """Update regrets below this history; return what player 0 wins on average."""
    if (won := payoff(deal, history)) is not None:
        return won
    player, sign = (0, 1) if len(history) % 2 == 0 else (1, -1)
    infoset, actions = f"{deal[player]}/{history}", "FC" if history[-1:] == "B" else "CB"
    regrets = regret_sum.setdefault(infoset, dict.fromkeys(actions, 0.0))
    played = strategy_sum.setdefault(infoset, dict.fromkeys(actions, 0.0))
    strategy, values = shares(regrets), dict.fromkeys(actions, 0.0)  # regret matching
    for action, share in strategy.items():
        further = (reach[0] * share, reach[1]) if player == 0 else (reach[0], reach[1] * share)
        values[action] = sign * walk(deal, history + action, further)
    mean = sum(strategy[action] * values[action] for action in actions)
    for action in actions:
        regrets[action] += reach[1 - player] * (values[action] - mean)  # the opponent's reach
        played[action] += reach[player] * strategy[action]  # the player's own reach
    return sign * mean


def value(profile: PerAction, deal: tuple[int, int], history: str = "") -> float:
    """Return what player 0 wins on average if both play `profile`."""
    if (won := payoff(deal, history)) is not None:
        return won
    strategy = profile[f"{deal[len(history) % 2]}/{history}"]
    return sum(share * value(profile, deal, history + a) for a, share in strategy.items())


if __name__ == "__main__":
    rng = random.Random(0)
    for _ in range(100_000):
        walk(rng.choice(DEALS), "", (1.0, 1.0))  # chance is sampled, all actions are explored
    average = {infoset: shares(weights) for infoset, weights in sorted(strategy_sum.items())}
    for infoset, strategy in average.items():
        print(f"{infoset:5}", "  ".join(f"{a} {share:6.1%}" for a, share in strategy.items()))
    print(f"value {sum(value(average, deal) for deal in DEALS) / 6:+.5f}, exact {-1 / 18:+.5f}")
