"""What many random games came to, in lines of text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.instrument_coverage import Counted

from kemu.base.words import counted as things
from kemu.render.console import fitted, width
from kemu.render.words import names_of_keys
from kemu.service.statistics import (
    Failures,
    Range,
    Sums,
    Tally,
    deviation,
    mean,
    quantile,
    share,
    sums,
)

QUANTILES = (("5%", 0.05), ("median", 0.5), ("95%", 0.95))
RANGES = (
    "in parentheses: 95% confidence intervals, by Wilson for shares, by the normal distribution for means"
)


def report(tally: Tally, program: k.Program, counted: Counted, longest: int, full: bool) -> list[str]:
    """Everything but the number of games; `full`: how often each statement and line was used."""
    out: list[str] = []
    if tally.ended:
        if tally.cut.games or tally.faults:
            out.append(f"of the {things(tally.ended, 'game')} that ended:")
        out += [*results(tally, program), "", *shape(tally)]
        out += block(scores(tally, program))
        out += block(actions(tally, counted))
        out += block(statements(tally, counted) if full else idle(tally, program, counted))
        out += block(lines(tally, program, counted) if full else [])
        out += ["", fitted(RANGES, "")]
    if tally.cut.games:
        out += ["", f"cut off after {things(longest, 'decision')}: {of_all(tally.cut, tally)}"]
    for fault, failures in sorted(tally.faults.items()):
        out += ["", f"broke down: {of_all(failures, tally)}", f"  {fault}"]
    if tally.cut.games or tally.faults:
        out += ["", "`--game I` shows game number I of this seed."]
    return out[1:] if out and not out[0] else out


def block(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


# ------------------------------------------------------------------------------------------------ games


def seats(tally: Tally, program: k.Program) -> list[tuple[str, int]]:
    """Who came first and how often, of the games that ended."""
    rows = [(f"{player} wins", tally.wins[seat]) for seat, player in enumerate(program.players)]
    for seat, player in enumerate(program.players):
        if tally.shared[seat]:
            rows.append((f"{player} shares the win", tally.shared[seat]))
    return [*rows, ("tie", tally.ties)]


def results(tally: Tally, program: k.Program) -> list[str]:
    rows = [
        (name, f"{games:,}", *percent(share(games, tally.ended))) for name, games in seats(tally, program)
    ]
    return aligned(rows, "<>><")


def shape(tally: Tally) -> list[str]:
    lengths = tally.lengths
    marks = ", ".join(f"{name} {quantile(lengths, part)}" for name, part in QUANTILES)
    average = number(mean(*sums(lengths)))
    out = [f"decisions per game: mean {average}, least {min(lengths)}, {marks}, most {max(lengths)}"]
    branching = tally.actions_a_decision()
    if branching is not None:
        out.append(f"actions per decision: mean {number(branching)}")
    if tally.outcomes.total:
        out.append(f"outcomes of chance per game: mean {number(a_game(tally.outcomes, tally))}")
    return [fitted(line) for line in out]


def keys_of(program: k.Program) -> list[str]:
    """What the keys of the result are called, if all ends agree on it."""
    called = {tuple(names_of_keys(program, block.exit)) for block in program.blocks if scored(block.exit)}
    if len(called) == 1 and all(called):
        return list(*called)
    return ["score"] if program.width == 1 else [f"score {key}" for key in range(1, program.width + 1)]


def scored(exit: k.Exit) -> bool:
    return isinstance(exit, k.End) and exit.form in ("rank", "pays")


def scores(tally: Tally, program: k.Program) -> list[str]:
    """The keys of the result, seat by seat."""
    rows = [("scores", "mean", "", "deviation", "least", "median", "most")]
    for key, name in enumerate(keys_of(program)):
        for seat, player in enumerate(program.players):
            values = tally.scores.get((seat, key), Counter())
            if values:
                average, spread = mean(*sums(values)), deviation(*sums(values))
                shown = (*ranged(average), f"{spread:,.2f}")
                low, median, high = min(values), quantile(values, 0.5), max(values)
                rows.append((f"{name}, {player}", *shown, f"{low:,}", f"{median:,}", f"{high:,}"))
    return aligned(rows, "<><>>>>") if len(rows) > 1 else []


def of_all(failures: Failures, tally: Tally) -> str:
    rest = failures.games - len(failures.first)
    listed = ", ".join(map(str, failures.first)) + (f" and {rest:,} more" if rest else "")
    part = f"{things(failures.games, 'game')} ({100 * failures.games / tally.games:.1f}%)"
    return f"{part}, number{'' if failures.games == 1 else 's'} {listed}"


# ------------------------------------------------------------------------------------------------ uses


def actions(tally: Tally, counted: Counted) -> list[str]:
    rows = [("actions", "per game", "", "in games", "")]
    for (label, name), counters in counted.actions.items():
        rows.append((name if name == label else f"{label}: {name}", *used(tally.uses[counters], tally)))
    return aligned(rows, "<><><") if len(rows) > 1 else []


def statements(tally: Tally, counted: Counted) -> list[str]:
    rows = [("statements", "in games", "")]
    for name in sorted(counted.statements, key=in_order):
        *_, part, around = used(tally.uses[counted.statements[name]], tally)
        rows.append((f"[{name}]", part, around))
    return aligned(rows, "<><") if len(rows) > 1 else []


def lines(tally: Tally, program: k.Program, counted: Counted) -> list[str]:
    rows = [("lines", "per game", "", "in games", "", "")]
    for file, line in sorted(counted.lines):
        uses = used(tally.uses[counted.lines[file, line]], tally)
        rows.append((f"{Path(file).name}:{line}", *uses, text(program, file, line)))
    return aligned(rows, "<><><<") if len(rows) > 1 else []


def idle(tally: Tally, program: k.Program, counted: Counted) -> list[str]:
    """What can be used, and was used in no game: statements, then lines with their text."""
    numbers = [name for name, counters in counted.statements.items() if not tally.uses[counters].games]
    places = [place for place, counters in counted.lines.items() if not tally.uses[counters].games]
    cited = ", ".join(f"[{name}]" for name in sorted(numbers, key=in_order))
    rows = [(f"  {Path(file).name}:{line}", text(program, file, line)) for file, line in sorted(places)]
    told = [cut(row, width()) for row in aligned(rows, "<<")] if rows else []
    return [fitted(f"used in no game: {cited}".rstrip(" ")), *told] if cited or told else []


def cut(line: str, room: int) -> str:
    return line if len(line) <= room else f"{line[: room - 3]}..."


def text(program: k.Program, file: str, line: int) -> str:
    """A line of the rules without its comment."""
    lines = program.sources.get(file, "").splitlines()[line - 1 : line]
    return " ".join(lines).partition(" # ")[0].strip()


def used(sums: Sums, tally: Tally) -> tuple[str, str, str, str]:
    """How often per game, and in what share of the games, with their ranges."""
    return *ranged(a_game(sums, tally)), *percent(share(sums.games, tally.ended))


def a_game(sums: Sums, tally: Tally) -> Range:
    return mean(sums.total, sums.squares, tally.ended)


def in_order(number: str) -> tuple[str, int]:
    """C2 comes before C10."""
    letters = number.rstrip("0123456789")
    return letters, int(number[len(letters) :] or 0)


# ------------------------------------------------------------------------------------------------ words


def ranged(of: Range) -> tuple[str, str]:
    """A mean and its range, with as many digits as tell its ends apart."""
    digits = 1 if of.high - of.low > 0.2 else 2
    return f"{of.value:,.{digits}f}", f"({of.low:,.{digits}f} to {of.high:,.{digits}f})"


def percent(part: Range) -> tuple[str, str]:
    value, around = ranged(Range(*(100 * each for each in (part.value, part.low, part.high))))
    return f"{value}%", around


def number(average: Range) -> str:
    return " ".join(ranged(average))


def aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """The rows in columns: `<` to the left, `>` to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:{side}{room}}" for cell, side, room in zip(row, sides, wide, strict=True)).rstrip()
        for row in rows
    ]


# ------------------------------------------------------------------------------------------------ JSON


def as_json(tally: Tally, program: k.Program, counted: Counted, about: Mapping[str, Any]) -> str:
    """One object: `about`, and all that is known. Ranges are [value, low, high]."""
    ended = tally.ended

    def uses(counters: tuple[int, ...]) -> dict[str, Any]:
        sums = tally.uses.get(counters, Sums())
        return {"a_game": listed(a_game(sums, tally)), "games": listed(share(sums.games, ended))}

    told: dict[str, Any] = {**about, "games": tally.games, "ended": ended}
    told["cut"] = failures(tally.cut)
    told["faults"] = {what: failures(each) for what, each in sorted(tally.faults.items())}
    if ended:
        branching = tally.actions_a_decision()
        told |= {
            "results": {name: [games, *listed(share(games, ended))] for name, games in seats(tally, program)},
            "decisions": spread(tally.lengths),
            "branching": None if branching is None else listed(branching),
            "outcomes": listed(a_game(tally.outcomes, tally)),
            "scores": {
                name: {
                    player: spread(values)
                    for seat, player in enumerate(program.players)
                    if (values := tally.scores.get((seat, key)))
                }
                for key, name in enumerate(keys_of(program))
            },
            "actions": {f"{label}: {name}": uses(each) for (label, name), each in counted.actions.items()},
            "statements": {name: uses(each) for name, each in counted.statements.items()},
            "lines": {f"{file}:{line}": uses(each) for (file, line), each in counted.lines.items()},
        }
    return json.dumps(told, ensure_ascii=False)


def listed(range: Range) -> list[float]:
    return [round(each, 6) for each in (range.value, range.low, range.high)]


def failures(of: Failures) -> dict[str, Any]:
    return {"games": of.games, "first": of.first}


def spread(values: Counter[int]) -> dict[str, Any]:
    """A distribution whole, and what it comes to."""
    return {
        "mean": listed(mean(*sums(values))),
        "deviation": round(deviation(*sums(values)), 6),
        "counts": {str(value): values[value] for value in sorted(values)},
    }
