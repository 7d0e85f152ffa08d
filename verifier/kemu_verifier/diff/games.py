"""Random games played in both programs at once, to find some difference, and ways to make it a short one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.play.draw import drawn
from kemu_engine.play.game import Game
from kemu_engine.play.replay import text_of
from kemu_engine.play.state import State

from kemu_verifier.diff.observe import Difference, Pair, Sight, follow, opening
from kemu_verifier.diff.search import Found, Search, texts
from kemu_verifier.symbolic.deadline import Deadline

SEED = 7
LENGTHS = (60, 125, 250, 500, 1_000, 2_000)  # steps after which games are cut off, in turn
SKIPPED = 5  # steps fewer than so many are left out behind one that is changed
OFTEN = 50  # steps, after which the time is looked at
SAVED = 300  # games that others begin as
NEAR = 1_500  # pairs looked at for a shorter way from a point of a game to a difference
SHOWN = 14  # steps of a game that are told
PIECES = 8  # steps that are left out together, at the end of shortening, and then fewer


Begun = tuple[Pair, tuple[int, ...]]
"""Where a game has come to, and the choices that led there (as they stand on the left)."""


class Games:
    """Random games from a pair of states on. Some begin as one before did, up to where both sides first
    remember different things: from there a difference is not far; or go on where one of the given `plays`
    ends. `count`: how many were played; `best`: the shortest that shows a difference."""

    def __init__(self, sight: Sight, start: Pair, plays: Iterable[Sequence[str]] = ()) -> None:
        self.sight = sight
        self.count = 0
        self.best: Found | None = None
        self._start = start
        self._common = common(sight.left, sight.right)
        self._apart: list[Begun] = []
        self._along: list[Begun] = []  # the points of the best game
        for steps in plays:
            self._begin(steps)

    def run(self, deadline: Deadline, most: int | None = None) -> Found | None:
        """Plays until there is a difference, or so many games were played, or time is up; one game at
        least."""
        end = None if most is None else self.count + most
        while self.best is None:
            self._play(self._apart if self.count % 2 else [], deadline)
            if deadline.passed or (end is not None and self.count >= end):
                break
        return self.best

    def improve(self, best: Found, deadline: Deadline, most: int | None = None) -> Found:
        """Looks for a shorter game: others that begin as the best one does, up to somewhere, and go on at
        random or, one step apart, as it does as far as possible. They may be no longer."""
        end = None if most is None else self.count + most
        self._take(best)
        while self._along and not deadline.passed and (end is None or self.count < end):
            if self.count % 4:
                self._vary()
            else:
                self._play(self._along, deadline)
        return self.best or best

    def _vary(self) -> None:
        """The best game with one step changed, and perhaps some left out behind it."""
        assert self.best is not None
        stream = Stream(SEED, self.count, PLAYERS)
        self.count += 1
        at = stream.below(len(self._along))
        pair, _ = self._along[at]
        index = stream.below(len(pair[0].choices))
        steps = (*self.best[0][:at], text_of(pair[0], index))
        rest = self.best[0][at + 1 + stream.below(SKIPPED) :]
        after = follow(self.sight, pair, index)
        unlike = self.sight.unlike(*after) if isinstance(after, tuple) else after
        if unlike is not None:
            self._take((steps, unlike))
        elif isinstance(after, tuple):
            found = played(self.sight, after, rest)
            if found is not None and at + 1 + len(found[0]) <= len(self.best[0]):
                self._take(((*steps, *found[0]), found[1]))

    def _take(self, best: Found) -> None:
        self.best, self._along, chosen = best, [], list[int]()
        for pair, text in zip(way(self.sight, self._start, best[0]), best[0], strict=False):
            self._along.append((pair, tuple(chosen)))
            chosen.append(position(pair[0], text) or 0)

    def _play(self, begun: Sequence[Begun], deadline: Deadline) -> None:
        players, chance = Stream(SEED, self.count, PLAYERS), Stream(SEED, self.count, CHANCE)
        self.count += 1
        pair, before = begun[players.below(len(begun))] if begun else (self._start, ())
        chosen, apart = list(before), bool(begun)
        most = LENGTHS[self.count // 2 % len(LENGTHS)] if self.best is None else len(self.best[0])
        while not pair[0].is_end and len(chosen) < most and (len(chosen) % OFTEN or not deadline.passed):
            chosen.append(drawn(pair[0], chance, players))
            after = self._step(pair, chosen)
            if after is None:
                return
            pair = after
            if not apart and self._remember_apart(pair):
                apart = True
                if len(self._apart) < SAVED:
                    self._apart.append((pair, tuple(chosen)))

    def _begin(self, steps: Sequence[str]) -> None:
        """Others may go on where this play ends, if both sides allow it."""
        pair, chosen = self._start, list[int]()
        for text in steps:
            index = position(pair[0], text)
            if index is None:
                return
            chosen.append(index)
            after = self._step(pair, chosen)
            if after is None:
                return
            pair = after
        if not pair[0].is_end:
            self._apart.append((pair, tuple(chosen)))

    def _step(self, pair: Pair, chosen: Sequence[int]) -> Pair | None:
        """What the last of these choices leads to; None if the two differ then, or both break down."""
        after = follow(self.sight, pair, chosen[-1])
        unlike = self.sight.unlike(*after) if isinstance(after, tuple) else after
        if unlike is None:
            return after if isinstance(after, tuple) else None
        if self.best is None or len(chosen) <= len(self.best[0]):
            self._take((texts(self._start[0], chosen), unlike))
        return None

    def _remember_apart(self, pair: Pair) -> bool:
        a, b = pair
        return any(a.vars[mine] != b.vars[theirs] for mine, theirs in self._common)


def common(left: k.Program, right: k.Program) -> list[tuple[int, int]]:
    """The variables that the two have in common, by name."""
    theirs = {var.name: at for at, var in enumerate(right.vars)}
    return [(at, theirs[var.name]) for at, var in enumerate(left.vars) if var.name in theirs]


# ---------------------------------------------------------------------------------------------- shorter


def shortened(sight: Sight, start: Pair, found: Found, deadline: Deadline) -> Found:
    """A game that shows a difference, from one that does: steps are left out as long as there is one
    still, and ends are replaced by the shortest. No step of it can be spared, if there was time."""
    while not deadline.passed:
        shorter = _closer(sight, start, _thinner(sight, start, found, deadline), deadline)
        if len(shorter[0]) >= len(found[0]):
            break
        found = shorter
    return found


def _thinner(sight: Sight, start: Pair, found: Found, deadline: Deadline) -> Found:
    """Leaves out pieces, the large ones first (as in delta debugging, Zeller 1999)."""
    length = len(found[0])
    sizes = [length >> by for by in range(1, length.bit_length()) if length >> by > PIECES]
    pairs = way(sight, start, found[0])
    for size in [*sizes, *range(min(PIECES, length), 0, -1)]:
        at = 0
        while at < len(found[0]) and not deadline.passed:
            steps = found[0]
            rest = played(sight, pairs[at], steps[at + size :])
            if rest is not None and at + len(rest[0]) < len(steps):
                found = (*steps[:at], *rest[0]), rest[1]
                pairs = [*pairs[:at], *way(sight, pairs[at], rest[0])]
            else:
                at += max(1, size // 2)
    return found


def _closer(sight: Sight, start: Pair, found: Found, deadline: Deadline) -> Found:
    """Looks for a shorter way to a difference from each point of the game, the last ones first."""
    pairs = way(sight, start, found[0])
    for at in range(len(pairs) - 2, -1, -1):
        if deadline.passed:
            break
        near = Search(sight, pairs[at])
        ending = near.run(deadline, NEAR, len(found[0]) - at - 1)
        if ending is not None:
            return (*found[0][:at], *ending[0]), ending[1]
    return found


def played(sight: Sight, start: Pair, wanted: Sequence[str]) -> Found | None:
    """The game from there with these steps, those left out that are not possible, up to the first difference;
    None if there is none."""
    pair, steps = start, list[str]()
    for text in wanted:
        index = position(pair[0], text)
        if index is None:
            continue
        steps.append(text)
        after = follow(sight, pair, index)
        if isinstance(after, Difference):
            return tuple(steps), after
        if after is None:
            return None
        difference = sight.unlike(*after)
        if difference is not None:
            return tuple(steps), difference
        pair = after
    return None


def way(sight: Sight, start: Pair, steps: Sequence[str]) -> list[Pair]:
    """The pairs that a game without a difference before its last step comes through."""
    pairs = [start]
    for text in steps[:-1]:
        index = position(pairs[-1][0], text)
        assert index is not None
        after = follow(sight, pairs[-1], index)
        assert isinstance(after, tuple)
        pairs.append(after)
    return pairs


def position(state: State, text: str) -> int | None:
    """Where the choice with this text stands."""
    return next((at for at, move in enumerate(state.moves()) if move.text == text), None)


# ---------------------------------------------------------------------------------------------- in words


def difference(original: Game, mutant: Game, games: int, deadline: Deadline) -> str:
    """What random games show the two to do differently, by the shortest of them; nothing if none shows
    any."""
    start = opening(original, mutant)
    best: Found | None = None
    if isinstance(start, Difference):
        best = (), start
    elif start is not None:
        sight = Sight(original.program, mutant.program)
        unlike = sight.unlike(*start)
        random = Games(sight, start)
        best = random.run(deadline, games) if unlike is None else ((), unlike)
        if best is not None and unlike is None:
            best = random.improve(best, deadline, games)
    if best is None:
        return ""
    steps, found = best
    more = "... " if len(steps) > SHOWN else ""
    way = f"{len(steps)} steps, {more}{', '.join(steps[-SHOWN:])}" if steps else "the opening"
    return f"after {way}: {found.words('the original', 'the mutant')}"
