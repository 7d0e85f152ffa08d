"""A study as a page of HTML that needs nothing else: what the text says, and plots as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from kemu_engine.play.trace import trace
from kemu_grammar.game.rulebook import Statement

from kemu.render import stepped
from kemu.render.plot import binned, width_of_bins
from kemu.render.words import instance
from kemu.service.statistics import Range, share
from kemu.study.options import Change
from kemu.study.study import Plan, Rung, Study
from kemu.study.text import (
    about,
    change_row,
    chosen,
    differences,
    never,
    rows,
    rung_row,
    transposed,
    wins,
)

WIDE, LEFT, ROW, HIGH = 640, 190, 24, 90
TITLES = ("random", "weak", "strong")
STYLE = """
:root { --bar: #1d5fbf } @media (prefers-color-scheme: dark) { :root { --bar: #84b6ff } }
body { font-variant-numeric: tabular-nums }
table { display: block; overflow-x: auto } th, td { padding-right: 1rem }
.plot { max-width: 100%; height: auto; display: block }
.plot text { fill: var(--ink); font: 12px system-ui, sans-serif } .plot rect { fill: var(--bar) }
.plot line { stroke: var(--ink) } .plot .even { stroke-dasharray: 4 3; stroke: var(--soft) }
"""


def page(
    studies: Sequence[Study],
    plan: Plan,
    found: Sequence[Change] = (),
    rulebook: Mapping[str, Statement] | None = None,
) -> bytes:
    """The file. `found`: what options change; `rulebook`: its statements, by number."""
    plays = stepped.Plays(rulebook)
    title = studies[0].game.title
    parts = [f"<h1>{escape(title)}</h1>", f'<p class="soft">{escape(about(title, plan))}</p>']
    if len(studies) > 1:
        columns = [[*rows(each.strong, each), ("steps of skill", str(each.depth))] for each in studies]
        named = list(dict.fromkeys(name for column in columns for name, _ in column))
        cells = [(name, *(dict(column).get(name, "-") for column in columns)) for name in named]
        parts += ["<h2>Strong play, side by side</h2>", table(("", *differences(studies)), cells)]
    for each in studies:
        parts += [f"<h2>{escape(instance(each.game))}</h2>", *alone(each), *example(each, plays)]
    if found:
        player = studies[0].game.players[0]
        head = ("", f"{player} wins more often at random", "in strong play", "")
        parts += ["<h2>Which options change who wins</h2>", table(head, map(change_row, found))]
    return stepped.page(f"{title}: a study", [*parts, *plays.closing()], STYLE).encode()


def example(study: Study, plays: stepped.Plays) -> list[str]:
    """A game of strong play, to be stepped through; of games with secrets it shows them all."""
    if study.example is None:
        return []
    told = f'<p class="soft">Everybody plays as {escape(study.strong.kind)}.</p>'
    steps = trace(study.game, study.example.steps)
    return ["<h3>A game of strong play</h3>", told, plays.play(steps)]


def alone(study: Study) -> list[str]:
    """Of one instance."""
    measures = transposed([rows(each, study) for each in study.levels])
    parts = [table(("", *TITLES), measures)]
    if len(study.actions) > 1:
        parts += ["<h3>What is chosen, times a game</h3>", table(("", *TITLES), chosen(study))]
    parts.append("<h3>Who wins</h3>")
    program = study.game.program
    for title, level in zip(TITLES, study.levels, strict=True):
        if level.tally.ended:
            labels = [*(f"{title}: {player}" for player in program.players), f"{title}: tie"]
            shares = [share(games, level.tally.ended) for games in wins(level, program)]
            parts.append(bars(labels, shares, 1 / len(program.players)))
    parts.append("<h3>Decisions a game</h3>")
    for title, level in zip(TITLES, study.levels, strict=True):
        if level.tally.ended:
            parts.append(histogram(title, level.tally.lengths))
    rungs = [each for each in study.rungs if each.score.games]
    if rungs:
        parts += ["<h3>Ladder of strength</h3>", climbed(rungs), table(("",) * 4, map(rung_row, study.rungs))]
    told = "\n".join(escape(line) for line in never(study))
    return [*parts, "<h3>Never used by strong play</h3>", f"<pre>{told}</pre>"]


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    def row(cells: Sequence[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{escape(cell.strip())}</{kind}>" for cell in cells) + "</tr>"

    top = row(head, "th") if any(head) else ""
    return f"<table>{top}{''.join(row(cells, 'td') for cells in body)}</table>"


def climbed(rungs: Sequence[Rung]) -> str:
    labels = [f"{each.stronger} against {each.weaker}" for each in rungs]
    return bars(labels, [each.score.range for each in rungs], 1 / rungs[0].players)


def bars(labels: Sequence[str], shares: Sequence[Range], even: float) -> str:
    """Shares with their ranges; a broken line at `even`."""
    high, room = ROW * len(labels) + 4, WIDE - LEFT - 60

    def x(part: float) -> float:
        return LEFT + room * part

    parts = []
    for at, (label, part) in enumerate(zip(labels, shares, strict=True)):
        y = ROW * at + ROW / 2 + 2
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{LEFT}" y="{y - 7:.0f}" width="{room * part.value:.1f}" height="14" opacity=".6"/>',
            f'<line x1="{x(part.low):.1f}" x2="{x(part.high):.1f}" y1="{y:.0f}" y2="{y:.0f}"/>',
            f'<text x="{x(1) + 8:.0f}" y="{y + 4:.0f}">{100 * part.value:.0f}%</text>',
        ]
    parts.append(f'<line class="even" x1="{x(even):.1f}" x2="{x(even):.1f}" y1="0" y2="{high}"/>')
    return svg(high, "shares: " + ", ".join(labels), parts)


def histogram(title: str, lengths: Counter[int]) -> str:
    """How many games had so many decisions."""
    low, most = min(lengths), max(lengths)
    size = max(1, width_of_bins(most - low + 1))
    first = low - low % size
    heights = binned(lengths, first, size, (most - first) // size + 1)
    step, top = (WIDE - LEFT - 60) / len(heights), max(heights)
    parts = [f'<text x="{LEFT - 8}" y="{HIGH / 2:.0f}" text-anchor="end">{escape(title)}</text>']
    for at, height in enumerate(heights):
        tall = HIGH * height / top
        parts.append(
            f'<rect x="{LEFT + at * step:.1f}" y="{HIGH - tall:.1f}" width="{max(1.0, step - 1):.1f}" '
            f'height="{tall:.1f}"/>'
        )
    parts += [
        f'<text x="{LEFT}" y="{HIGH + 14}">{first}</text>',
        f'<text x="{WIDE - 60}" y="{HIGH + 14}" text-anchor="end">{most}</text>',
    ]
    return svg(HIGH + 22, f"decisions a game, {title}", parts)


def svg(high: int, label: str, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {WIDE} {high}" width="{WIDE}"'
    return f'<svg class="plot" {size} role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
