"""A game tree as an SVG picture, written without a drawing library.

The tree grows from left to right, a row per leaf. A diamond is a chance move, a circle a decision
of player 0, a square one of player 1; a number at the end is what player 0 gains, or both if the
payoffs do not sum to zero. Nodes of the same infoset carry its label and are joined by dashed
arcs. With a strategy, an action's line is as wide as the action is frequent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from untilt.charts.palette import LIGHT, ink_on, run_colour, styles_of
from untilt.game.histories.outline import Outline, OutlineNode
from untilt.game.histories.tree import CHANCE, TERMINAL
from untilt.game.terms import Terms

_INK, _SOFT, _FAINT, _PAPER = "#1c2024", "#566069", "#8b949e", "#ffffff"
_GAIN, _LOSS = "#146c43", "#b3372b"
_HALO = f'stroke="{_PAPER}" stroke-width="3" paint-order="stroke"'
"""Keeps text readable where a line passes behind it."""

_ROW = 24.0
"""Height of a leaf's row, in pixels; other lengths are in pixels too."""
_RADIUS = 9.0
_MARGIN = 24.0
_HEAD = 90.0
"""Height of title and legend."""
_FONT = 11.0
_LETTER = 6.3
"""Mean width of a letter."""
_CURVE = 46.0
"""Width of the part of an edge in which it changes its height."""
_LANE = 8.0
"""Distance between the arcs of two infosets whose nodes lie in the same rows."""
_LANES_WIDTH = 88.0
"""All arcs of a column lie within this width."""
_MAX_TEXT = 28
_THIN, _WIDE = 1.2, 6.0
"""Width of an edge without a strategy, and the extra width of an action that is always played."""


def tree_figure(tree: Outline, title: str, terms: Terms, *, strategy: str = "") -> str:
    """Return the picture as SVG text.

    `strategy` says whose probabilities the edges show; empty without a strategy.
    """
    drawing = _Drawing(tree, title, terms, strategy)
    parts = [
        *drawing.head(),
        *drawing.arcs(),
        *drawing.edges(),
        *drawing.nodes(),
    ]
    width, height = round(drawing.width), round(drawing.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" font-size="{_FONT:g}" fill="{_INK}" '
            "font-family=\"system-ui, 'DejaVu Sans', sans-serif\">",
            f"<title>{_shown(title)}: game tree</title>",
            f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


@dataclass
class _Arc:
    """The line that joins the nodes of an infoset in one column."""

    nodes: Sequence[int]
    """From top to bottom."""
    player: int
    depth: int
    lane: int = 0
    """0 is next to the nodes."""


class _Drawing:
    """Positions of all nodes, and the parts of the picture."""

    def __init__(self, tree: Outline, title: str, terms: Terms, strategy: str) -> None:
        self._tree = tree
        self._title = _short(title, 90)
        self._terms = terms
        self._is_zero_sum = tree.is_zero_sum() and len(terms.seats) == 2
        self._children: list[list[int]] = [[] for _ in tree.nodes]
        for number, node in enumerate(tree.nodes):
            if node.parent >= 0:
                self._children[node.parent].append(number)
        self._y = self._rows()
        self._arcs = self._lanes()
        self._x = self._columns()
        ends = max(
            self._x[node.depth] + _RADIUS + 8 + _width(self._end_text(node)) for node in tree.nodes
        )
        self._counts = self._counted()
        self._meaning = _short(self._explained(strategy), 160)
        heads = max(1.4 * _width(self._title), _width(self._counts), _width(self._meaning))
        self.width = max(ends, _MARGIN + heads, 400.0) + _MARGIN
        self.height = max(self._y) + _ROW + _MARGIN

    def head(self) -> Iterator[str]:
        """Yield title, counts and legend."""
        size = 'font-size="15" font-weight="bold"'
        yield f'<text x="{_MARGIN:g}" y="28" {size}>{_shown(self._title, 90)}</text>'
        yield f'<text x="{_MARGIN:g}" y="46" fill="{_SOFT}">{escape(self._counts)}</text>'
        x = _MARGIN
        seats = self._terms.seats
        for mark, words in ((CHANCE, "chance"), *enumerate(seats)):
            yield _mark(mark, x + 6, 60, 6.0, "")
            yield f'<text x="{x + 16:g}" y="64">{_shown(words)}</text>'
            x += 34 + _width(words)
        yield (
            f'<path d="M{x:g} 60h22" stroke="{_SOFT}" stroke-dasharray="3 3" fill="none"/>'
            f'<text x="{x + 27:g}" y="64">same infoset</text>'
        )
        yield f'<text x="{_MARGIN:g}" y="82" fill="{_SOFT}">{_shown(self._meaning, 160)}</text>'

    def _counted(self) -> str:
        tree = self._tree
        counts = (
            f"{len(tree.nodes):,} nodes, {len(tree.infosets()):,} infosets, "
            f"{tree.num_terminals:,} terminals"
        )
        cut = f"; the moves after {tree.num_cut:,} nodes are left out (…)" if tree.num_cut else ""
        return counts + cut

    def _explained(self, strategy: str) -> str:
        """Return the meaning of numbers and widths."""
        everyone = "both players" if len(self._terms.seats) == 2 else "all players"
        gains = "what player 0 gains" if self._is_zero_sum else f"what {everyone} gain"
        width = f"; width: how often {strategy} plays it" if strategy else ""
        return f"at the ends: {gains}, in {self._terms.unit}{width}"

    def arcs(self) -> Iterator[str]:
        """Yield the dashed lines between the nodes of an infoset."""
        for arc in self._arcs:
            step = self._lane_step(arc.depth)
            colour = run_colour(arc.player)
            # A cubic curve reaches three quarters of the distance of its control points.
            bulge = (_RADIUS + 4 + step * (arc.lane + 1)) / 0.75
            for above, below in zip(arc.nodes, arc.nodes[1:], strict=False):
                x, y0, y1 = self._place(above)[0], self._y[above], self._y[below]
                side, edge = _RADIUS * 0.7, x - _RADIUS * 0.7
                yield (
                    f'<path d="M{edge:.1f} {y0 + side:.1f}C{x - bulge:.1f} {y0 + 14:.1f} '
                    f'{x - bulge:.1f} {y1 - 14:.1f} {edge:.1f} {y1 - side:.1f}" fill="none" '
                    f'stroke="{colour}" stroke-width="1.3" stroke-dasharray="3 3"/>'
                )

    def edges(self) -> Iterator[str]:
        """Yield the moves."""
        for parent, children in enumerate(self._children):
            names = [self._tree.nodes[child].move for child in children]
            is_chance = self._tree.nodes[parent].player == CHANCE
            colours = [LIGHT[style.name] for style in styles_of(names)]
            for child, colour in zip(children, colours, strict=True):
                yield from self._edge(parent, child, _FAINT if is_chance else colour, is_chance)

    def nodes(self) -> Iterator[str]:
        """Yield the marks and labels of all nodes."""
        for number, node in enumerate(self._tree.nodes):
            x, y = self._place(number)
            if node.player != TERMINAL:
                yield _mark(node.player, x, y, _RADIUS, self._tooltip(node))
            if node.player >= 0 and not node.is_cut:
                yield (
                    f'<text x="{x:.1f}" y="{y - _RADIUS - 3:.1f}" text-anchor="middle" '
                    f'font-size="10" fill="{_SOFT}" {_HALO}>{_shown(node.infoset)}</text>'
                )
            end = self._end_text(node)
            if end:
                offset = 2.0 if node.player == TERMINAL else _RADIUS + 5
                colour = self._end_colour(node)
                yield (
                    f'<text x="{x + offset:.1f}" y="{y + 4:.1f}" fill="{colour}">'
                    f"{_shown(end)}</text>"
                )

    def _edge(self, parent: int, child: int, colour: str, is_chance: bool) -> Iterator[str]:
        node = self._tree.nodes[child]
        (x0, y0), (x1, y1) = self._place(parent), self._place(child)
        begin, end = x0 + _RADIUS, x1 - (0.0 if node.player == TERMINAL else _RADIUS)
        bend, middle = begin + _CURVE, begin + _CURVE / 2
        is_unused = node.probability == 0.0
        width = _THIN if is_chance else _THIN + _WIDE * (node.probability or 0.0)
        dashes = ' stroke-dasharray="2 4"' if is_unused else ""
        yield (
            f'<path d="M{begin:.1f} {y0:.1f}C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} '
            f'{bend:.1f} {y1:.1f}H{end:.1f}" fill="none" '
            f'stroke="{_FAINT if is_unused else colour}" stroke-width="{width:.2f}"{dashes}/>'
        )
        yield (
            f'<text x="{bend:.1f}" y="{y1 - 3 - width / 2:.1f}" {_HALO} '
            f'fill="{_SOFT if is_chance or is_unused else _INK}">'
            f"{_shown(_edge_text(node), 2 * _MAX_TEXT)}</text>"
        )

    def _place(self, number: int) -> tuple[float, float]:
        return self._x[self._tree.nodes[number].depth], self._y[number]

    def _rows(self) -> list[float]:
        """Return the height of each node: leaves in order, parents in the middle of children."""
        y = [0.0] * len(self._tree.nodes)
        next_row = _HEAD + _ROW
        stack = [0]
        while stack:
            number = stack.pop()
            if not self._children[number]:
                y[number] = next_row
                next_row += _ROW
            stack.extend(reversed(self._children[number]))
        for number in range(len(y) - 1, -1, -1):  # children come after their parents
            if own := self._children[number]:
                y[number] = (y[own[0]] + y[own[-1]]) / 2
        return y

    def _lanes(self) -> list[_Arc]:
        """Return the arcs between nodes; those of a column that overlap have different lanes."""
        groups: dict[tuple[int, str], list[int]] = {}
        for number, node in enumerate(self._tree.nodes):
            if node.player >= 0:
                groups.setdefault((node.depth, node.infoset), []).append(number)
        arcs: list[_Arc] = []
        for (depth, _), numbers in groups.items():
            if len(numbers) > 1:
                nodes = sorted(numbers, key=self._y.__getitem__)
                arcs.append(_Arc(nodes, self._tree.nodes[nodes[0]].player, depth))
        taken: dict[tuple[int, int], list[tuple[float, float]]] = {}
        # Short arcs first: they take the lanes next to the nodes.
        for arc in sorted(arcs, key=lambda arc: self._y[arc.nodes[-1]] - self._y[arc.nodes[0]]):
            top, bottom = self._y[arc.nodes[0]], self._y[arc.nodes[-1]]
            while any(
                top <= other[1] and other[0] <= bottom
                for other in taken.get((arc.depth, arc.lane), ())
            ):
                arc.lane += 1
            taken.setdefault((arc.depth, arc.lane), []).append((top, bottom))
        return arcs

    def _columns(self) -> list[float]:
        """Return the place of each depth's nodes; room for names and arcs is to their left."""
        texts = [0.0] * (self._tree.depth + 1)
        for node in self._tree.nodes:
            texts[node.depth] = max(texts[node.depth], _width(_edge_text(node)))
        labels = [0.0] * (self._tree.depth + 1)
        for node in self._tree.nodes:
            shown = "" if node.is_cut else _short(node.infoset)
            labels[node.depth] = max(labels[node.depth], _width(shown) / 2)
        x = [_MARGIN + max(_RADIUS, labels[0])]
        for depth in range(1, self._tree.depth + 1):
            arcs = self._lane_step(depth) * self._num_lanes(depth)
            left = max(_CURVE + _RADIUS, labels[depth - 1])
            x.append(x[-1] + left + texts[depth] + max(arcs + 3 * _RADIUS, labels[depth]))
        return x

    def _num_lanes(self, depth: int) -> int:
        return max((arc.lane + 1 for arc in self._arcs if arc.depth == depth), default=0)

    def _lane_step(self, depth: int) -> float:
        return min(_LANE, _LANES_WIDTH / max(self._num_lanes(depth), 1))

    def _end_text(self, node: OutlineNode) -> str:
        """Return the text to the right of a node."""
        if node.payoffs is not None:
            shown = node.payoffs[:1] if self._is_zero_sum else node.payoffs
            return ", ".join(_signed(payoff) for payoff in shown)
        return f"{_short(node.infoset)} …".strip() if node.is_cut else ""

    def _end_colour(self, node: OutlineNode) -> str:
        if node.payoffs is None:
            return _SOFT
        gain = node.payoffs[0] if self._is_zero_sum else 0.0
        return _GAIN if gain > 0.0 else _LOSS if gain < 0.0 else _INK

    def _tooltip(self, node: OutlineNode) -> str:
        who = "chance" if node.player == CHANCE else self._terms.seats[node.player]
        return f"{who}, {node.infoset}" if node.infoset else who


def _mark(player: int, x: float, y: float, radius: float, tooltip: str) -> str:
    """Return the mark of a node: a diamond for chance, a circle or square with the player."""
    title = f"<title>{_shown(tooltip, 200)}</title>" if tooltip else ""
    if player == CHANCE:
        r = radius * 0.9
        return (
            f'<path d="M{x - r:.1f} {y:.1f}l{r:.1f} {-r:.1f} {r:.1f} {r:.1f} {-r:.1f} {r:.1f}z" '
            f'fill="{_FAINT}">{title}</path>'
        )
    colour = run_colour(player)
    if player == 0:
        shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"'
    else:
        side = 1.8 * radius
        shape = (
            f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" '
            f'height="{side:.1f}" rx="2" fill="{colour}"'
        )
    size = radius * 1.2
    return (
        f"<g>{title}{shape}/>"
        f'<text x="{x:.1f}" y="{y + size * 0.36:.1f}" text-anchor="middle" font-size="{size:.1f}" '
        f'font-weight="bold" fill="{ink_on(colour)}">{player}</text></g>'
    )


def _edge_text(node: OutlineNode) -> str:
    """Return the name of the move into a node, with its probability if there is one."""
    if node.probability is None:
        return _short(node.move)
    return f"{_short(node.move)} {percent(node.probability)}"


def percent(share: float) -> str:
    """Return a share of 1 in per cent, with one decimal only where it matters."""
    text = f"{100.0 * share:.1f}".removesuffix(".0")
    return f"{text} %"


def _signed(payoff: float) -> str:
    return "0" if payoff == 0.0 else f"{payoff:+.6g}".replace("-", "−")


def _short(text: str, most: int = _MAX_TEXT) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _shown(text: str, most: int = _MAX_TEXT) -> str:
    """Return text for SVG; names come from users' games and may hold any character."""
    printable = "".join(letter if letter.isprintable() else "�" for letter in text)
    return escape(_short(printable, most))


def _width(text: str) -> float:
    return _LETTER * len(text)
