"""A study in lines of text: a table with a column for each kind of play, or for each instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kemu_engine.kernel import nodes as k

from kemu.base.words import counted as things
from kemu.bots.matches import elo
from kemu.render.console import fitted, width
from kemu.render.simulation import aligned, cut, in_order, number, percent, text
from kemu.render.words import instance
from kemu.service.statistics import Range, mean, share, sums
from kemu.study.options import Change
from kemu.study.study import Level, Plan, Rung, Study

NOT = "-"
Row = tuple[str, ...]


def report(studies: Sequence[Study], plan: Plan) -> list[str]:
    """Everything, instance by instance; of several side by side first what strong play gives."""
    out = [fitted(about(studies[0].game.title, plan))]
    if len(studies) > 1:
        out += ["", "strong play, side by side", *side_by_side(studies)]
    for each in studies:
        out += ["", instance(each.game), "", *alone(each)]
    return out


def about(title: str, plan: Plan) -> str:
    weak, strong = plan.kinds
    return (
        f"{title}: {things(plan.random, 'game')} at random; weak is {weak}, strong {strong}, "
        f"{things(plan.games, 'game')} each and each step of the ladder; seed {plan.seed}; "
        "in parentheses 95% confidence intervals"
    )


def alone(study: Study) -> list[str]:
    """Of one instance."""
    titles = ("random", "weak", "strong")
    out = aligned([("", *titles), *transposed([rows(each, study) for each in study.levels])], "<<<<")
    if len(study.actions) > 1:
        out += ["", *aligned([("chosen, times a game", *titles), *chosen(study)], "<<<<")]
    if study.rungs:
        out += ["", *ladder(study)]
    out += ["", *never(study)]
    failed = [(name, each.tally) for name, each in zip(titles, study.levels, strict=True)]
    return out + [
        f"{name}: {things(tally.games - tally.ended, 'game')} did not come to an end, not counted"
        for name, tally in failed
        if tally.games > tally.ended
    ]


def rows(level: Level, study: Study) -> list[tuple[str, str]]:
    """The measures of a kind of play, with their names."""
    tally, program = level.tally, study.game.program
    if not tally.ended:
        return [(name, NOT) for name in names(program)]
    branching = tally.actions_a_decision()
    values = [
        number(mean(*sums(tally.lengths))),
        NOT if branching is None else number(branching),
        *(" ".join(percent(share(games, tally.ended))) for games in wins(level, program)),
        told(level.drama),
        told(level.changes),
        NOT if level.known is None else " ".join(percent(level.known)),
    ]
    return list(zip(names(program), values, strict=True))


def names(program: k.Program) -> list[str]:
    return [
        "decisions a game",
        "actions a decision",
        *(f"{player} wins" for player in program.players),
        "tie",
        "drama",
        "changes of lead",
        "winner known after",
    ]


def wins(level: Level, program: k.Program) -> list[int]:
    """Games that each has won alone, and those that are tied by all or some."""
    alone = [level.tally.wins[seat] for seat in range(len(program.players))]
    return [*alone, level.tally.ended - sum(alone)]


def told(range: Range | None) -> str:
    return NOT if range is None else number(range)


def chosen(study: Study) -> list[Row]:
    """How often in a game each action is chosen by each kind of play."""
    return [
        (f"  {name}", *(used(each, counters) for each in study.levels))
        for name, counters in study.actions.items()
    ]


def used(level: Level, counters: tuple[int, ...]) -> str:
    tally = level.tally
    found = tally.uses.get(counters)
    if found is None or not tally.ended:
        return NOT
    often = mean(found.total, found.squares, tally.ended)
    return number(replace(often, low=max(0.0, often.low))) if found.total else "never"


def transposed(columns: Sequence[Sequence[tuple[str, str]]]) -> list[Row]:
    return [(each[0][0], *(value for _, value in each)) for each in zip(*columns, strict=True)]


def ladder(study: Study) -> list[str]:
    out = [f"ladder: {study.depth} of {things(len(study.rungs), 'step')} of skill"]
    return out + aligned([rung_row(each) for each in study.rungs], "<<<<")


def rung_row(rung: Rung) -> Row:
    """Who against whom, how much of the points, and of two the difference on Elo's scale."""
    if not rung.score.games:
        return f"  {rung.stronger}", f"against {rung.weaker}", NOT, ""
    found = rung.score.range
    value = elo(found.value)
    far = "" if rung.players != 2 or abs(value) == float("inf") else f"{value:+.0f} Elo"
    even = "" if rung.players == 2 else f"even would be {100 / rung.players:.0f}%"
    return f"  {rung.stronger}", f"against {rung.weaker}", " ".join(percent(found)), far or even


def never(study: Study) -> list[str]:
    """What strong play never used, with what random play used of it."""
    if not study.strong.tally.ended:
        return ["no strong game came to an end"]
    actions, places, statements = study.unused()
    if not actions and not places and not statements:
        return ["strong play used every action and every line"]
    games = study.strong.tally.ended
    most = 100 * share(0, games).high
    out = [f"never used in {things(games, 'game')} of strong play (so in at most {most:.0f}% of such games):"]
    if actions:
        out.append(f"  actions: {', '.join(actions)}")
    if statements:
        out.append(f"  statements: {', '.join(f'[{name}]' for name in sorted(statements, key=in_order))}")
    random, counters = study.levels[0].tally, study.counted.lines
    lines = [
        (
            f"  {Path(file).name}:{line}",
            "used at random" if random.ended and random.uses[counters[file, line]].games else "nor at random",
            text(study.game.program, file, line),
        )
        for file, line in sorted(places)
    ]
    return [fitted(each, "  ") for each in out] + [cut(row, width()) for row in aligned(lines, "<<<")]


def side_by_side(studies: Sequence[Study]) -> list[str]:
    """Instances in columns: what strong play gives, and the ladder."""
    columns = [[*rows(each.strong, each), ("steps of skill", str(each.depth))] for each in studies]
    called = list(dict.fromkeys(name for column in columns for name, _ in column))
    table = [(name, *(dict(column).get(name, NOT) for column in columns)) for name in called]
    return aligned([("", *differences(studies)), *table], "<" * (1 + len(studies)))


def changed(found: Sequence[Change], player: str) -> list[str]:
    """Which options change how often a player wins."""
    if not found:
        return ["no option makes another game"]
    rows = [change_row(each) for each in sorted(found, key=lambda each: not any(map(sure, both(each))))]
    head = ("", f"{player} wins more often at random", "in strong play", "")
    note = "of 20 differences one is expected to look sure by chance"
    return [*aligned([head, *rows], "<<<<"), note]


def change_row(change: Change) -> Row:
    """An option, the differences in points, and whether any is sure."""
    told = [NOT if each is None else " ".join(percent(each)) for each in both(change)]
    return f"{change.option}={change.value}", *told, "sure" if any(map(sure, both(change))) else ""


def both(change: Change) -> tuple[Range | None, Range | None]:
    return change.random, change.strong


def sure(range: Range | None) -> bool:
    return range is not None and not range.low <= 0 <= range.high


def differences(studies: Sequence[Study]) -> list[str]:
    """What sets the instances apart: the settings in which they differ."""
    settings = [{**each.game.settings, "players": str(len(each.game.players))} for each in studies]
    apart = [name for name in settings[0] if len({each.get(name) for each in settings}) > 1]
    return [
        ", ".join(f"{name}={each.get(name, NOT)}" for name in apart) or "as it stands" for each in settings
    ]
