"""Options shared by the push/fold commands: stacks, blinds and antes."""

from typing import TYPE_CHECKING, Annotated

from untilt.cli.options.option_flags import setting_of
from untilt.errors import InvalidOption, shortened
from untilt.number import Number, number_in
from untilt.options.pushfold import ANTE, BB_ANTE, BLINDS, STAKES_STACK

if TYPE_CHECKING:
    from untilt.games.pushfold.game import Stakes

StackOption = Annotated[str, setting_of(STAKES_STACK)]
AnteOption = Annotated[float, setting_of(ANTE)]
BbAnteOption = Annotated[float, setting_of(BB_ANTE)]
BlindsOption = Annotated[str, setting_of(BLINDS)]


def parse_number(option: str, text: str) -> float:
    """Return the number that was given for `option`; underscores may group digits."""
    number = number_in(text)
    if not Number().accepts(number):
        raise InvalidOption(
            f"{option} contains {shortened(text.strip())}, which is not a number; give one such as "
            "10"
        )
    return float(number or 0.0)


def parse_stack(option: str, text: str) -> float:
    """Return a stack in big blinds, which may be written with its unit: `7.5` or `7.5bb`."""
    return parse_number(option, text.strip().lower().removesuffix("bb"))


def parse_small_blind(blinds: str) -> float:
    """Return the small blind in big blinds for `S/B`."""
    small, slash, big = blinds.partition("/")
    if not slash:
        raise InvalidOption(f"--blinds is {blinds!r}; give small and big blind, such as 0.5/1")
    amounts = parse_number("--blinds", small), parse_number("--blinds", big)
    if not 0.0 <= amounts[0] <= amounts[1] or amounts[1] == 0.0:
        raise InvalidOption(
            f"--blinds is {blinds!r}; the small blind must lie between 0 and the big blind"
        )
    return amounts[0] / amounts[1]


def parse_stakes(stack: str, ante: float, bb_ante: float, blinds: str) -> "tuple[Stakes, str]":
    """Return the stakes, and a note on the effective stack if two were given."""
    from untilt.games.pushfold.game import Stakes
    from untilt.games.pushfold.text import effective_text

    amounts = [parse_stack("--stack", part) for part in stack.split("/")]
    if len(amounts) > 2:
        raise InvalidOption(f"--stack is {stack!r}; give one stack, or two such as 12/8")
    small_blind = parse_small_blind(blinds)
    if len(amounts) == 1:
        return Stakes(amounts[0], small_blind, ante, bb_ante), ""
    stacks = amounts[0], amounts[1]
    stakes = Stakes.of_stacks(stacks, small_blind, ante, bb_ante)
    return stakes, effective_text(stacks, stakes)


def parse_sweep(text: str, small_blind: float, ante: float, bb_ante: float) -> "list[Stakes]":
    """Return the stakes of every stack of `A:B:STEP`."""
    from untilt.games.pushfold.game import Stakes
    from untilt.runs.pushfold.charts import MAX_STACKS

    parts = text.split(":")
    if len(parts) != 3:
        raise InvalidOption(f"--sweep is {text!r}; give first, last and step, such as 2:25:0.5")
    first, last, step = (parse_stack("--sweep", part) for part in parts)
    if not (step > 0.0 and last >= first):
        raise InvalidOption(
            f"--sweep is {text!r}; the step must be positive and the last stack not below the first"
        )
    # The tolerance is for steps such as 0.1, which floating point cannot represent exactly.
    count = int((last - first) / step + 1e-9) + 1 if (last - first) / step < MAX_STACKS else 0
    if not 1 <= count <= MAX_STACKS:
        raise InvalidOption(
            f"--sweep {text} has more than {MAX_STACKS:,} stacks; choose a larger step"
        )
    return [
        Stakes(round(first + number * step, 9), small_blind, ante, bb_ante)
        for number in range(count)
    ]
