"""Sheets of grids in the terminal."""

from rich.console import Console

from untilt.charts.hand_grid import action_grid, action_legend, value_grid
from untilt.charts.sheet import ActionSheet


def print_sheet(console: Console, sheet: ActionSheet, *, with_numbers: bool = False) -> None:
    """Print every grid with its range, mixed hands and, if asked, the number of each hand."""
    console.print(sheet.title, style="bold", soft_wrap=True)
    console.print(f"{sheet.subtitle}; {sheet.remark}", soft_wrap=True)
    for grid in sheet.grids:
        console.print()
        console.print(f"{grid.heading}; {grid.remark}", style="bold", soft_wrap=True)
        console.print(action_grid(grid))
        console.print(action_legend(grid), soft_wrap=True)
        console.print(f"range: {grid.range_text}", soft_wrap=True)
        console.print(f"mixed: {grid.mixed_text}", soft_wrap=True)
        if with_numbers:
            numbers = grid.numbers
            console.print()
            console.print(value_grid(numbers.values, f"{numbers.meaning} ({numbers.base})"))
