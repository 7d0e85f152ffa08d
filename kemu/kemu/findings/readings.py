"""The other answers to the gaps of a rulebook: where and how often they matter in play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import Game as Playable
from kemu_engine.static.values import text_of
from kemu_engine.support.process_pool import Failed, outcomes
from kemu_grammar.game.game import Game
from kemu_verifier.diff.compare import compare
from kemu_verifier.diff.observe import Difference
from kemu_verifier.symbolic.deadline import Deadline
from msgspec.structs import replace

from kemu.base.opening import Value, Wanted, made, opened
from kemu.findings.data import Choice, Effect, Setting, Unlike
from kemu.findings.play import GAMES, Parting, Sides, at_once
from kemu.service.instances import alternatives

Plays = dict[tuple[str, str], list[tuple[str, ...]]]
"""By number of a gap and name of an instance the games that show claims about it."""
NEAR = 40  # games that others begin as
PLAYED, FIRST = 0.6, 0.3  # parts of the time of a comparison: for random games, to choose where they are
NOWHERE = Setting("", {}, 0)
PLAIN: dict[Effect, int] = {"winner": 0, "course": 0, "board": 1, "score": 2}  # how well a game shows it


def setting(rules: Game, name: str, game: Playable, but: str = "") -> Setting:
    return Setting(name, dict(game.settings), len(game.players), plain(rules, name, but), game.hash)


def plain(rules: Game, name: str, but: str = "") -> bool:
    """Whether an instance is played on the printed board and by our readings, apart from that one."""
    if not name.isidentifier():
        return True
    own = {each.name for each in rules.options.values() if each.span.file != rules.proofs}
    readings = {each.name for each in rules.options.values() if each.kind == "reading"}
    chosen = set(dict(rules.instances[name].settings)) - {but, "players"}
    return chosen <= own - readings


def chosen(
    name: str,
    rules: Game,
    wants: Sequence[Wanted],
    asked: set[str],
    plays: Plays,
    seconds: float,
    processes: int,
    progress: Callable[[str], None],
) -> Iterator[Choice]:
    """For every other value of these options what becomes of it."""
    tasks = [
        (name, option.name, value, tuple(wants), plays, seconds)
        for option in rules.options.values()
        if option.name in asked
        for value in alternatives(rules, option)
    ]
    found: dict[int, Choice | None] = {}
    with closing(outcomes(processes, _choice, tasks)) as coming:
        for at, choice in coming:
            if isinstance(choice, Failed):
                _, option, value, *_ = tasks[at]
                choice = Choice(option, text_of(value), "unknown", NOWHERE, NOWHERE, words=choice.error)
            found[at] = choice
            progress(f"readings: {len(found)} of {len(tasks)}")
    yield from (choice for _, choice in sorted(found.items()) if choice is not None)


@dataclass(frozen=True, slots=True)
class Place:
    """An instance in which two values of an option are compared."""

    want: Wanted
    left: Playable
    right: Playable
    plays: tuple[tuple[str, ...], ...]


def _choice(
    tell: object,
    name: str,
    option: str,
    value: Value,
    wants: Sequence[Wanted],
    plays: Plays,
    seconds: float,
) -> Choice | None:
    """What becomes of this value, by the gravest and then the shortest game on a printed board; None if no
    instance allows it."""
    rules = opened(name)
    places = list(_places(rules, option, value, wants, plays))
    if not places:
        return None
    deadline = Deadline(PLAYED * seconds)
    played: list[tuple[Parting | None, Sides, Place]] = []
    for place in places:
        sides = Sides(place.left, place.right)
        known = min(sides.replayed(place.plays), key=grade, default=None)
        played.append((_played(sides, known, deadline.part(FIRST * seconds / len(places))), sides, place))
        if grave(played[-1][0]):
            break
    if all(parting is None for parting, _, _ in played):
        played = unsettled(played, 0.5 * (1 - PLAYED) * seconds)
    parting, sides, place = min(played, key=lambda each: (grade(each[0])[0], -each[1].tally.met))
    parting = _played(sides, parting, deadline)
    found = compare(place.left, place.right, 0.5 * (1 - PLAYED) * seconds, plays=place.plays)
    if found.kind == "different":
        again = filter(None, [parting, *sides.replayed([found.steps])])
        parting = min(again, key=grade, default=None)
        if parting is None and not found.alike:
            parting = at_once(found.steps, found.difference)
    left, right = (setting(rules, place.want.name, game, option) for game in (place.left, place.right))
    cost = sides.tally.cost if sides.tally.games else None
    choice = Choice(option, text_of(value), found.kind, left, right, found.by, found.alike, cost=cost)
    if parting is None:
        return choice if found.difference is None else replace(choice, unlike=_unlike(found.difference))
    ours = found.kind == "different" and parting.steps == found.steps
    return replace(
        choice,
        verdict="different",
        by=found.by if ours else "random games",
        steps=parting.steps,
        shortest=ours and found.shortest,
        effect=parting.effect,
        fork=parting.fork,
        unlike=parting.unlike and _unlike(parting.unlike),
    )


def _unlike(found: Difference) -> Unlike:
    return Unlike(found.kind, found.left, found.right)


def _places(rules: Game, option: str, value: Value, wants: Sequence[Wanted], plays: Plays) -> Iterator[Place]:
    """Where to compare: on printed boards with all readings as ours, each pair of programs once; if there is
    none that allows the value, in any instance. Those with the same rules on both sides come last."""
    own = [want for want in wants if plain(rules, want.name, option)]
    found = list(_made(rules, option, value, own, plays)) or list(_made(rules, option, value, wants, plays))
    apart = [place for place in found if place.left.hash != place.right.hash]
    yield from apart or found[:1]


def _made(rules: Game, option: str, value: Value, wants: Sequence[Wanted], plays: Plays) -> Iterator[Place]:
    known: set[tuple[str, str]] = set()
    for want in wants:
        want = Wanted({k: v for k, v in want.settings.items() if k != option}, want.players, want.name)
        try:
            left = made(rules, want)
            right = made(rules, Wanted({**want.settings, option: value}, want.players, want.name))
        except SettingError:
            continue
        if (left.hash, right.hash) not in known:
            known.add((left.hash, right.hash))
            yield Place(want, left, right, near(plays, option, want.name))


def near(plays: Plays, option: str, instance: str) -> tuple[tuple[str, ...], ...]:
    """The games known of an instance, those about this option first."""
    own = plays.get((option, instance), [])
    others = [steps for (about, name), games in plays.items() for steps in games if name == instance != about]
    return tuple(dict.fromkeys([*own, *others]))[:NEAR]


def unsettled(
    played: list[tuple[Parting | None, Sides, Place]], seconds: float
) -> list[tuple[Parting | None, Sides, Place]]:
    """The places where the two are not proved to be the same; the last if they are everywhere."""
    deadline = Deadline(seconds)
    left = [
        each
        for each in played
        if deadline.passed or compare(each[2].left, each[2].right, seconds / len(played)).kind != "equivalent"
    ]
    return left or played[-1:]


def grade(parting: Parting | None) -> tuple[int, int]:
    """The plainest is least: what has to do with play before what is only seen, before what only counts; of
    that the shortest."""
    if parting is None:
        return len(PLAIN), 0
    return PLAIN[parting.effect], len(parting.steps)


def grave(parting: Parting | None) -> bool:
    """Whether it is a matter of who wins, or of what may be done."""
    return parting is not None and parting.effect in ("winner", "course")


def _played(sides: Sides, best: Parting | None, deadline: Deadline) -> Parting | None:
    """The gravest game that is known when random ones have been played: many until one is grave, and as many
    as are counted."""
    for parting in sides.play(deadline):
        best = min(best, parting, key=grade) if best else parting
        if grave(best) and sides.tally.games >= GAMES:
            break
    return best
