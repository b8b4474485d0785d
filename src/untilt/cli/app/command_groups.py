"""Help that lists commands by their purpose."""

from typing import Any

from typer.core import TyperGroup


class Commands(TyperGroup):
    """Commands whose help lists them below the name of their panel, with whole summaries.

    Typer's own panels are drawn by Rich, which takes longer to load than many commands take.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, panel by panel, in the order in which they were added."""
        width = max(map(len, self.commands))
        for title, names in panels(self).items():
            with formatter.section(title):
                # Padded, so that summaries begin in the same column in every panel.
                formatter.write_dl([(name.ljust(width), self._summary(name)) for name in names])

    def _summary(self, name: str) -> str:
        more_than_any_has = 10_000
        return self.commands[name].get_short_help_str(more_than_any_has)


def panels(group: Any) -> dict[str, list[str]]:
    """Return the names of a group's commands by panel; "Commands" are those without one."""
    found: dict[str, list[str]] = {}
    for name, command in group.commands.items():
        panel = command.rich_help_panel
        found.setdefault(panel if isinstance(panel, str) else "Commands", []).append(name)
    return found
