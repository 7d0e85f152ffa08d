"""A picture of a simulation as SVG that needs nothing else: results by seat, lengths, scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from textwrap import wrap

from kemu_engine.kernel import nodes as k

from kemu.base.words import counted
from kemu.render.simulation import keys_of, seats
from kemu.service.statistics import Tally, mean, quantile, share, sums

WIDE, LEFT, RIGHT = 860, 60, 28  # pixels: the picture, its margins
HIGH = 190  # of a histogram
ROW = 30  # from bar to bar
BINS = 60  # at most
MOST = 0.999  # of the games are drawn, if the rest would take up much room
NAMED = {
    "black": ("#33312e", "#b9b3a8"), "blue": ("#1d5fbf", "#84b6ff"), "brown": ("#6b4a2f", "#cfa98a"),
    "cyan": ("#0b7a80", "#66d3da"), "green": ("#1c7a3d", "#7ed495"), "grey": ("#77716a", "#a39c8f"),
    "magenta": ("#b0308f", "#f08fd6"), "orange": ("#c4620a", "#ffac61"), "pink": ("#c9578c", "#ffa3c8"),
    "purple": ("#6b3fa0", "#bb98ec"), "red": ("#b3261e", "#ff8d84"), "violet": ("#7a3bb5", "#c59bf5"),
    "white": ("#a8a296", "#f3efe6"), "yellow": ("#b58900", "#eec04d"),
}  # fmt: skip
SEATS = ("red", "blue", "green", "yellow", "purple", "cyan", "orange", "brown")
STYLE = """
svg { --paper: #faf8f4; --ink: #22211f; --soft: #6d685f; --line: #e0dace; --bar: #8a8478; LIGHT }
@media (prefers-color-scheme: dark) {
  svg { --paper: #171614; --ink: #ebe6dc; --soft: #a39c8f; --line: #35312c; --bar: #8d8678; DARK }
}
text { fill: var(--ink); font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
.title { font: 600 22px Georgia, "Iowan Old Style", "DejaVu Serif", serif; }
.head { font-weight: 600; font-size: 15px; }
.soft { fill: var(--soft); font-size: 12px; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.mark { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
.range { stroke: var(--ink); stroke-width: 1.5; }
.edge { fill: none; stroke-width: 2; stroke-linejoin: round; } .area { fill-opacity: .16; stroke: none; }
"""


def plot(tally: Tally, program: k.Program, settings: str, seed: int) -> str:
    """The text of the file."""
    drawing = _Drawing(program.players)
    drawing.heading(program.game, settings, f"{counted(tally.games, 'random game')}, seed {seed}")
    if tally.ended:
        drawing.bars(tally, program)
        drawing.histogram("Decisions per game", {"": tally.lengths})
        for key, name in enumerate(keys_of(program)):
            values = {
                player: tally.scores[seat, key]
                for seat, player in enumerate(program.players)
                if (seat, key) in tally.scores
            }
            if values:
                drawing.histogram(f"{name[:1].upper()}{name[1:]} at the end", values)
    left_out = tally.games - tally.ended
    if left_out:
        drawing.note(f"{counted(left_out, 'game')} that did not end, left out of the other figures")
    return drawing.text()


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)


class _Drawing:
    """Panels, one below the other."""

    def __init__(self, players: Sequence[str]) -> None:
        self.parts: list[str] = []
        self.y = 20.0
        called = all(player in NAMED for player in players)
        names = players if called else [SEATS[seat % len(SEATS)] for seat in range(len(players))]
        self.names = dict(zip(players, names, strict=True))

    def text(self) -> str:
        """The whole picture."""
        pairs = {name: NAMED[name] for name in self.names.values()}
        light, dark = (" ".join(f"--{name}: {pair[at]};" for name, pair in pairs.items()) for at in (0, 1))
        high = round(self.y + 12)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{high}" '
                f'viewBox="0 0 {WIDE} {high}" role="img">',
                f"<style>{STYLE.replace('LIGHT', light).replace('DARK', dark)}</style>",
                f'<rect width="{WIDE}" height="{high}" fill="var(--paper)"/>',
                *self.parts,
                "</svg>\n",
            ]
        )

    # ---------------------------------------------------------------------------------------- pieces

    def say(self, x: float, y: float, text: str, kind: str = "") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>')

    def rule(self, x: float, y: float, x2: float, y2: float, kind: str) -> None:
        self.parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def box(self, x: float, y: float, wide: float, high: float, colour: str) -> None:
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" height="{max(high, 0):.1f}" '
            f'fill="var(--{colour})"/>'
        )

    # ---------------------------------------------------------------------------------------- panels

    def heading(self, title: str, settings: str, games: str) -> None:
        self.y += 14
        self.say(LEFT / 2, self.y, title, "title")
        for line in [games, *wrap(settings, 120)]:
            self.y += 18
            self.say(LEFT / 2, self.y, line, "soft")

    def panel(self, name: str) -> None:
        self.y += 40
        self.say(LEFT / 2, self.y, name, "head")
        self.y += 16

    def note(self, text: str) -> None:
        self.y += 26
        self.say(LEFT / 2, self.y, text, "soft")

    def bars(self, tally: Tally, program: k.Program) -> None:
        """Who came first how often, each with the range of its share."""
        rows = seats(tally, program)
        owners = [name.split(" shares the win")[0].removesuffix(" wins") for name, _ in rows]
        self.panel("Results, with 95% confidence intervals")
        ranges = [share(games, tally.ended) for _, games in rows]
        top, step = ticks(0, 100 * max(each.high for each in ranges), 6)
        wide = 12 + 7.5 * max(len(name) for name, _ in rows)
        x = Scale(0, top, LEFT / 2 + wide, WIDE - RIGHT - 100)
        bottom = self.y + ROW * len(rows)
        for at in steps(0, top, step):
            self.rule(x(at), self.y, x(at), bottom, "grid")
            self.say(x(at), bottom + 18, f"{at:g}%", "soft middle")
        for (name, _), owner, part in zip(rows, owners, ranges, strict=True):
            middle = self.y + ROW / 2
            self.say(x(0) - 10, middle + 4.5, name, "end")
            self.box(x(0), middle - 9, x(100 * part.value) - x(0), 18, self.names.get(owner, "bar"))
            self.rule(x(100 * part.low), middle, x(100 * part.high), middle, "range")
            for end in (part.low, part.high):
                self.rule(x(100 * end), middle - 5, x(100 * end), middle + 5, "range")
            self.say(x(100 * part.high) + 10, middle + 4.5, f"{100 * part.value:.1f}%")
            self.y += ROW
        self.y += 18

    def histogram(self, name: str, values: Mapping[str, Counter[int]]) -> None:
        """One distribution as bars, several as outlines one above the other."""
        self.panel(name)
        together: Counter[int] = Counter()
        for each in values.values():
            together.update(each)
        low, high = min(together), quantile(together, MOST)
        if max(together) - low <= 1.5 * (high - low):
            high = max(together)
        size = width_of_bins(high - low + 1)
        first = low // size * size
        count = (high - first) // size + 1
        shares = {player: binned(each, first, size, count) for player, each in values.items()}
        peak = max(max(each) for each in shares.values())
        top, step = ticks(0, 100 * peak, 4)
        x = Scale(first, first + count * size, LEFT, WIDE - RIGHT)
        y = Scale(0, top, self.y + HIGH, self.y)
        for at in steps(0, top, step):
            self.rule(LEFT, y(at), WIDE - RIGHT, y(at), "grid")
            self.say(LEFT - 8, y(at) + 4, f"{at:g}%", "soft end")
        half = size / 2 if size == 1 else 0  # a bar for a single value stands above it
        _, step = ticks(first, first + count * size, 10)
        for at in steps(-(-first // step) * step, first + count * size - half, max(1, step)):
            self.say(x(at + half), y(0) + 18, f"{at:,g}", "soft middle")
        for player, parts in shares.items():
            if player:
                self._outline(parts, x, y, first, size, self.names[player])
            else:
                self._columns(parts, x, y, first, size)
        self.rule(LEFT, y(0), WIDE - RIGHT, y(0), "axis")
        self._marks(values, x, y, half)
        self.y += HIGH + 40
        told = [f"{player} mean {mean(*sums(each)).value:,.1f}".strip() for player, each in values.items()]
        beyond = sum(games for value, games in together.items() if value > high)
        if beyond:
            told.append(f"{beyond:,} beyond {high:,}, up to {max(together):,}")
        self._legend(told, list(values))

    def _columns(self, shares: Sequence[float], x: Scale, y: Scale, first: int, size: int) -> None:
        for at, part in enumerate(shares):
            left, right = x(first + at * size), x(first + (at + 1) * size)
            gap = min(2.0, (right - left) / 5)
            self.box(left + gap / 2, y(100 * part), right - left - gap, y(0) - y(100 * part), "bar")

    def _outline(
        self, shares: Sequence[float], x: Scale, y: Scale, first: int, size: int, colour: str
    ) -> None:
        path = f"M{x(first):.1f} {y(0):.1f}"
        for at, part in enumerate(shares):
            path += f"V{y(100 * part):.1f}H{x(first + (at + 1) * size):.1f}"
        path += f"V{y(0):.1f}"
        self.parts.append(f'<path d="{path}Z" class="area" fill="var(--{colour})"/>')
        self.parts.append(f'<path d="{path}" class="edge" stroke="var(--{colour})"/>')

    def _marks(self, values: Mapping[str, Counter[int]], x: Scale, y: Scale, half: float) -> None:
        """The median of a single distribution."""
        if list(values) != [""]:
            return
        median = quantile(values[""], 0.5)
        at = x(median + half)
        self.rule(at, y(0), at, y.last - 12, "mark")
        late = at > WIDE - RIGHT - 100
        self.say(at + (-6 if late else 6), y.last - 6, f"median {median:,}", "soft end" if late else "soft")

    def _legend(self, told: Sequence[str], players: Sequence[str]) -> None:
        at = float(LEFT)
        for number, text in enumerate(told):
            player = players[number] if number < len(players) else ""
            wide = 7 * len(text) + 40
            if at + wide > WIDE:
                at, self.y = float(LEFT), self.y + 18
            if player:
                self.box(at, self.y - 10, 12, 12, self.names[player])
            self.say(at + (18 if player else 0), self.y, text, "soft")
            at += wide


def binned(values: Counter[int], first: int, size: int, count: int) -> list[float]:
    """The share of the games in each bin."""
    found = [0] * count
    for value, games in values.items():
        if (value - first) // size < count:
            found[(value - first) // size] += games
    return [games / values.total() for games in found]


def width_of_bins(span: int) -> int:
    """A round number: 1, 2, 5, 10, ..."""
    size = 1
    while span / size > BINS:
        size = size * 5 // 2 if str(size).startswith("2") else size * 2
    return size


def ticks(low: float, high: float, most: int) -> tuple[float, float]:
    """A round number not below `high`, and a round step of which there are about so many on the way."""
    rough = max(high - low, 1e-9) / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough * 0.999)
    return step * -(-high // step), step


def steps(first: float, last: float, step: float) -> list[float]:
    return [round(first + at * step, 9) for at in range(int((last - first) / step + 1e-6) + 1)]
