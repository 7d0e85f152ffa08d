"""What Kemu makes of every game, as hashes: a change that is to change nothing leaves this file equal.

    .venv/bin/python -m tests.freeze write FILE [NAME...]
    .venv/bin/python -m tests.freeze compare FILE [NAME...]

A line for each thing made of each instance in `spec/` and each game of the gallery: the `program` (with
claims, examples and views), its generated `python`, its `webassembly` (games played to their end, all states,
many games side by side, ways to play), the symbolic reading of every `step`, stop and `claim`, its
`playthrough`; of games with few states the `verdicts`, names and words. What depends on a clock is left out,
as are invariants that a search finds; the symbolic reading of a large program is left out too.
NAME: only instances whose name begins like that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from kemu.base.library import games, library
from kemu.base.opening import made, opened, wanted
from kemu.render.playthrough import playthrough
from kemu_engine.batch.state_graph import Reached
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.nodes import Program
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.run.python.writer import whole
from kemu_engine.run.wasm.programs.batches import batching
from kemu_engine.run.wasm.programs.bfs import searching
from kemu_engine.run.wasm.programs.perft import counting
from kemu_engine.run.wasm.programs.writer import module
from kemu_engine.support import process_pool
from kemu_engine.support.stack import deep
from kemu_grammar.game.game import read
from kemu_verifier.goal.questions import questions
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.transition import Step, Transitions
from kemu_verifier.symbolic.values import TooLarge

from tests.playthroughs.regenerate import cases

GALLERY = Path(__file__).parent / "gallery"
MEMORY = 1 << 26
"""Bytes that searches are made for."""
GAMES = 64
"""Played side by side."""
STATES = 2_000
"""Of a game whose verdicts count, at most: they are decided by looking at all of them."""
READ = 9_000
"""Elements of state times blocks, of a program that is read symbolically, at most."""


def instances() -> dict[str, tuple[str, str | None]]:
    """The game (or its rules file) and the instance, by name."""
    found = {f"{Path(game).stem}.{name or 'default'}": (game, name) for game, name in every()}
    return found | {f"gallery.{path.stem}": (str(path), None) for path in sorted(GALLERY.glob("*.kemu"))}


def every() -> list[tuple[str, str | None]]:
    """Every instance of every game in spec/, models beside them too."""
    models = [path for path in sorted(library().rglob("*.kemu")) if path not in games().values()]
    listed = [(case.game, case.instance) for case in cases()]
    for path in models:
        if "\ngame " in f"\n{path.read_text('utf-8')}":
            listed += [(str(path), name) for name in (None, *opened(str(path)).instances)]
    return listed


def texts(value: Any) -> Iterator[str]:
    """All that a value of dataclasses, tuples and plain values holds, piece by piece."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if is_dataclass(item) and not isinstance(item, type):
            yield type(item).__name__
            waiting += [getattr(item, each.name) for each in reversed(fields(item))]
        elif isinstance(item, dict):
            yield f"{{{len(item)}"
            waiting += [each for pair in reversed(item.items()) for each in reversed(pair)]
        elif isinstance(item, tuple | list):
            yield f"[{len(item)}"
            waiting += reversed(item)
        else:
            yield Path(item).name if isinstance(item, str) and item.endswith(".kemu") else repr(item)


def digest(pieces: Iterator[str]) -> str:
    """SHA-256 in hexadecimal."""
    made = sha256()
    for piece in pieces:
        made.update(piece.encode() + b"\n")
    return made.hexdigest()


def symbolic(program: Program) -> Iterator[tuple[str, str]]:
    """The symbolic reading: the steps from each stop, the goals of the questions, and all terms."""
    transitions = Transitions(program)
    transitions.reader.deadline = Deadline(100_000)
    blocks = [
        -1,
        *(n for n, block in enumerate(program.blocks) if type(block.exit).__name__ in ("Decide", "Chance")),
    ]
    for block in blocks:
        step = transitions.begin() if block < 0 else transitions.step(block)
        yield f"step {block}", digest(texts(plain(step)))
    for question in questions(program, True):
        if question.goal is not None:
            goal = question.goal(transitions)
            yield f"claim {question.key}", digest(texts((goal.states, goal.steps)))
    terms = transitions.terms
    yield "terms", digest(texts((terms.kind, terms.data, terms.names)))


def plain(step: Step) -> Any:
    """A step as plain values."""
    edges = [(edge.source, edge.arm, edge.target, edge.env.live, edge.binding) for edge in step.edges]
    return step.block, step.options, step.chosen, step.clauses, edges, step.faults, step.covered


def compiled(program: Program) -> Iterator[tuple[str, str]]:
    """The program in other languages."""
    with deep():
        yield "python", sha256(whole(program).encode()).hexdigest()
    makers: dict[str, Callable[[], bytes]] = {
        "play": lambda: module(program).binary,
        "search": lambda: searching(program, MEMORY, ()).binary,
        "many": lambda: batching(program, GAMES).binary,
        "ways": lambda: counting(program, MEMORY).binary,
    }
    for name, maker in makers.items():
        try:
            yield f"webassembly {name}", sha256(maker()).hexdigest()
        except NotCovered as lack:
            yield f"webassembly {name}", f"not covered: {lack}"


def frozen(name: str) -> list[str]:
    """The lines of an instance."""
    game, instance = instances()[name]
    if name.startswith("gallery."):
        playable = Game(instantiate(read(Path(game), library()), {}, None))
    else:
        rules = opened(game)
        playable = made(rules, wanted(rules, (), None, instance))
    program = playable.program
    with deep():
        lines = [("program", digest(texts(program)))]
    lines += compiled(program)
    if sum(var.length or 1 for var in program.vars) * len(program.blocks) <= READ:
        try:
            lines += symbolic(program)
        except TooLarge as error:
            lines.append(("symbolic", f"too large: {error}"))
    if not name.startswith("gallery."):
        written = "\n".join(playthrough(playable, name, 0, 400))
        lines.append(("playthrough", sha256(written.encode()).hexdigest()))
    if few(playable):
        told = sorted(f"{v.property} {v.standard} {v.kind}" for v in verify(playable, seconds=1000))
        lines.append(("verdicts", sha256("\n".join(told).encode()).hexdigest()))
    return [f"{name}\t{what}\t{value}\n" for what, value in lines]


def few(game: Game) -> bool:
    """Whether the game has few states."""
    try:
        graph = Reached(game, memory=MEMORY)
    except NotCovered:
        return False
    for _ in graph.grow(STATES):
        pass
    return graph.complete and graph.count <= STATES


def main(how: str, file: str, *names: str) -> int:
    """Writes the file, or says what differs from it."""
    chosen = [each for each in instances() if not names or each.startswith(names)]
    lines: dict[int, list[str]] = {}
    for at, found in process_pool.outcomes(2, work, [(each,) for each in chosen]):
        if isinstance(found, process_pool.Failed):
            print(f"{chosen[at]}: {found.error}", file=sys.stderr)
            return 1
        lines[at] = found
        print(f"\r{len(lines)} of {len(chosen)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    written = [line for at in sorted(lines) for line in lines[at]]
    path = Path(file)
    if how == "write":
        path.write_text("".join(written), "utf-8")
        print(f"{len(written)} lines of {len(chosen)} instances")
        return 0
    before = [line for line in path.read_text("utf-8").splitlines(True) if line.split("\t")[0] in set(chosen)]
    changed = sorted(set(before) ^ set(written))
    for place in dict.fromkeys("\t".join(line.split("\t")[:2]) for line in changed):
        print(f"differs: {place}")
    print(f"{len(written)} lines of {len(chosen)} instances: {'equal' if not changed else 'not equal'}")
    return int(bool(changed))


def work(tell: Callable[[Any], None], name: str) -> list[str]:
    return frozen(name)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # no order may hang on the hashes of texts
        again = [sys.executable, "-m", "tests.freeze", *sys.argv[1:]]
        sys.exit(subprocess.run(again, env=os.environ | {"PYTHONHASHSEED": "0"}).returncode)
    if len(sys.argv) < 3 or sys.argv[1] not in ("write", "compare"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
