"""The questions put to a program: the author's claims, the assertions in the rules, and those asked of every
game unbidden.

Unbidden: `no_fault` (no run-time fault can happen), `never_stuck` (no decision without a legal action or way
on), `terminates` (no play goes on for ever, whatever players choose and chance brings),
`ends_almost_surely` (with probability one play ends, whatever players do; not asked where there is no
chance), `action_possible(...)` for each arm of each decision, `branch_possible(...)` for each source line
with a statement, `result_determined` (no game ends with several players in the first place unless it was
declared a tie; not asked of payoffs, where equality is an ordinary result), `informed` (whether he is on
turn and what is legal follows from what a player knows), `no_leak` (what everybody sees follows from what
everybody was told).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import pieces, untold
from kemu_engine.kernel.text import stop_in_words
from kemu_engine.kernel.walk import nodes
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.steps import Steps, lines_of

from kemu_verifier.goal.goal import (
    Goal,
    arm_goal,
    covering_goal,
    fault_goal,
    reading,
    state_goal,
    stops,
)
from kemu_verifier.goal.verdict import NO_ORIGIN
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.terms import Lit
from kemu_verifier.symbolic.transition import Transitions

Kind = Literal[
    "reach", "terminates", "almost surely", "informed", "leak", "always possible", "maximize", "run", "first",
    "not applicable",
]  # fmt: skip
SECRETS: tuple[Kind, ...] = ("informed", "leak")
ENDINGS: tuple[Kind, ...] = ("terminates", "almost surely")
EXTREMES = ("at_most", "at_least")  # forms of claims with which the extreme itself is told
ALWAYS = ("always", "never", *EXTREMES)  # forms that ask of every decision and end

Reading = Callable[[Transitions | None], Goal]
"""Makes a goal; without a symbolic reading of the program, one that only the interpreter can look for."""


PLACE = re.compile(r" at (?:the \w+ )?\S+$")  # of a claim at several places, after its name: which


@dataclass(frozen=True, slots=True)
class Question:
    """`reach`: is the goal of `goal` ever reached; `bad` says that it should not be. The goal is read when it
    is needed, because that reads the program. `safe`: by stop, the literal that must hold there if the goal
    is never to be reached. `between`: the same goal at stops of chance, of which nothing is asked, as a claim
    may hold there, too, and be proved only so."""

    name: str
    form: str
    kind: Kind
    standard: bool = False
    bad: bool = True
    goal: Reading | None = None
    between: Reading | None = None
    exprs: tuple[k.Expr, ...] = ()
    blocks: tuple[int, ...] = ()
    expected: str | None = None
    lemma: bool = False
    origin: k.Origin = NO_ORIGIN
    note: str = ""
    run: k.Run | None = None
    namesakes: int = 0  # questions before it that have the same name

    @property
    def key(self) -> str:
        """The name; where an author's claim is called like a standard question, told apart from it."""
        return f"{self.name} ({self.namesakes + 1})" if self.namesakes else self.name

    def before_chance(self, transitions: Transitions) -> Callable[[], dict[int, Lit]] | None:
        """Makes the literals that hold at stops of chance if the claim does there, too; it raises TooLarge.
        None if that is no question."""
        between = self.between
        if between is None:
            return None
        return lambda: {block: -lit for block, lit in between(transitions).states.items()}

    @property
    def sought(self) -> bool:
        """Whether what one hopes for is a game that gets there."""
        return (self.expected or ("proved" if self.bad else "possible")) in ("refuted", "possible")


def family(name: str) -> str:
    """What a question's name is without a value in brackets and without its place."""
    return called(name)[-1]


def called(name: str) -> tuple[str, ...]:
    """All that a question may be called: `f(blue) at sail` is one of `f(blue)` and of `f`."""
    plain = PLACE.sub("", name)
    return tuple(dict.fromkeys((name, plain, plain.split("(")[0])))


def questions(program: k.Program, standard: bool) -> list[Question]:
    """All questions: the author's lemmas, the other claims, the assertions, the standard ones."""
    mine = sorted((p for p in program.properties if p.form != "standard"), key=lambda p: not p.lemma)
    found: list[Question] = []
    count: dict[str, int] = {}
    claims = [*(claim(program, p) for p in mine), *assertions(program)]
    for question in claims + (expected(program) if standard else []):
        found.append(replace(question, namesakes=count.get(question.name, 0)))
        count[question.name] = count.get(question.name, 0) + 1
    return found


def asked_hash(program: k.Program) -> str:
    """SHA-256 in hexadecimal, the same for instances that are played alike and of which the same is asked,
    whatever their options say: verdicts on one are verdicts on the other."""
    names = tuple((q.key, q.form, q.expected or "") for q in questions(program, True))
    digest = hashlib.sha256()
    for part in (replace(program, settings=()), program.properties, names, untold(program), _places(program)):
        for piece in pieces(part):
            digest.update(piece.encode())
    return digest.hexdigest()


def _places(program: k.Program) -> tuple[str, ...]:
    """The lines on which the code stands, piece by piece: whether one is carried out is asked."""
    roots = (program.blocks, *(function.body for function in program.functions))
    places = (getattr(node, "origin", -1) for root in roots for node in nodes(root))
    spans = (program.origins[place].span for place in places if place >= 0)
    return tuple(f"{span.file} {span.line}" for span in spans)


def claim(program: k.Program, p: k.Property) -> Question:
    """The question that a property of the program puts."""
    places = program.origins if p.run is None else p.run.program.origins
    origin = places[p.origin] if p.origin >= 0 else NO_ORIGIN

    def question(
        kind: Kind, bad: bool = True, goal: Reading | None = None, between: Reading | None = None
    ) -> Question:
        return Question(
            p.name, p.form, kind, False, bad, goal, between, p.exprs, tuple(blocks), p.expect, p.lemma, origin
        )

    kinds: dict[str, tuple[type, ...]] = {"at_end": (k.End,), "everywhere": (k.Decide, k.Chance, k.End)}
    blocks = list(p.blocks) or stops(program, *kinds.get(p.form, (k.Decide, k.End)))
    if p.run is not None:
        return replace(question("run"), run=p.run)
    if p.form == "terminates":
        return question("terminates")
    if p.form == "ends_almost_surely":
        return question("almost surely")
    if p.form == "initially":
        return question("first")
    if p.form == "maximize":
        return question("maximize")
    if p.form == "always_possible":
        return question("always possible")
    expr = p.exprs[0]
    if p.form in EXTREMES:
        bound = k.Const(k.Int(p.bound or 0, p.bound or 0), p.bound or 0)
        expr = k.Op(k.BOOL, "le", (expr, bound) if p.form == "at_most" else (bound, expr))
    wanted = p.form in ("never", "possible")
    fault_counts = p.form != "possible"

    def goal(transitions: Transitions | None) -> Goal:
        found = state_goal(transitions, Facts(program), p.name, expr, blocks, wanted)
        if wanted and fault_counts:  # a fault inside refutes `never` too
            return _or_fault(transitions, found, expr, blocks)
        return found

    chances = stops(program, k.Chance)

    def between(transitions: Transitions | None) -> Goal:
        return state_goal(transitions, Facts(program), p.name, expr, chances, wanted)

    asked = chances and not p.blocks and p.form in ALWAYS
    return question("reach", p.form != "possible", goal, between if asked else None)


def claimed(program: k.Program, question: Question) -> k.Expr | None:
    """What holds at its stops if the question is answered as it should be, as the author writes it."""
    if question.kind != "reach" or not question.exprs:
        return None
    expr = question.exprs[0]
    if question.form == "possible":
        return None if b.faults(expr) else b.no(expr)
    if question.form in EXTREMES:
        bound = next(
            p.bound for p in program.properties if (p.name, p.form) == (question.name, question.form)
        )
        limit = b.integer(bound or 0)
        return k.Op(k.BOOL, "le", (expr, limit) if question.form == "at_most" else (limit, expr))
    return b.no(expr) if question.form == "never" else expr


def _or_fault(transitions: Transitions | None, goal: Goal, expr: k.Expr, blocks: list[int]) -> Goal:
    """The goal, or a fault in its expression."""
    lits = {}
    for block in blocks if transitions is not None else ():
        assert transitions is not None
        lit, sound = reading(transitions, expr, block)
        lits[block] = transitions.terms.either(lit, -sound)
    here = frozenset(blocks)

    def is_there(state: State) -> bool:
        if state.block not in here:
            return False
        try:
            return bool(state.evaluate(expr))
        except FaultError:
            return True

    return replace(
        goal, states=lits, holds=is_there, reached=lambda found: found.fault is None and is_there(found.last)
    )


def assertions(program: k.Program) -> Iterable[Question]:
    """One for each assertion, however often its rule was lowered: no step runs into its fault."""
    moving = stops(program, k.Decide, k.Chance)
    named: dict[str, set[int]] = {}
    for index, fault in enumerate(program.faults):
        if fault.name:
            named.setdefault(fault.name, set()).add(index)
    for name, indices in named.items():
        origin = program.origins[program.faults[min(indices)].origin]
        goal = _faults(name, moving, indices.__contains__)
        yield Question(name, "assert", "reach", goal=goal, origin=origin)


def _faults(name: str, moving: list[int], wanted: Callable[[int], bool]) -> Reading:
    return lambda transitions: fault_goal(transitions, name, moving, wanted)


# ---------------------------------------------------------------------------------------------- unbidden


def unbidden(program: k.Program) -> list[Question]:
    """The standard questions."""
    moving = stops(program, k.Decide, k.Chance)
    stuck = frozenset(index for index, fault in enumerate(program.faults) if fault.code == "stuck")

    def faults(name: str, wanted: Callable[[int], bool]) -> Question:
        return Question(name, "always", "reach", True, goal=_faults(name, moving, wanted))

    return [
        faults("no_fault", lambda index: index not in stuck),
        faults("never_stuck", lambda index: index in stuck),
        Question("terminates", "terminates", "terminates", True),
        *_almost_surely(program),
        *_actions(program),
        *_lines(program, moving),
        _determined(program),
        Question("informed", "informed", "informed", True),
        Question("no_leak", "no_leak", "leak", True),
    ]


def expected(program: k.Program) -> list[Question]:
    """The standard questions with what the author expects of them: by a property without a claim, or of
    `terminates` and `ends_almost_surely` by a claim of his own that says the same."""
    own = ("terminates", "ends_almost_surely")
    said = {p.form: p for p in program.properties if p.form in own and not p.blocks and p.expect}
    said |= {p.name: p for p in program.properties if p.form == "standard"}
    found = []
    for question in unbidden(program):
        head, _, rest = question.name.rstrip(")").partition("(")
        arm = f"{head}({rest.split(': ')[-1]})"
        p = said.get(arm, said.get(head))
        if p is not None:
            origin = program.origins[p.origin] if question.origin is NO_ORIGIN else question.origin
            question = replace(question, expected=p.expect, origin=origin)
        found.append(question)
    return found


def _almost_surely(program: k.Program) -> Iterable[Question]:
    """Asked where chance plays a part; elsewhere it is the question whether play terminates."""
    if stops(program, k.Chance):
        yield Question("ends_almost_surely", "ends_almost_surely", "almost surely", True)


def _actions(program: k.Program) -> Iterable[Question]:
    decisions = stops(program, k.Decide)
    names: dict[str, int] = {}
    for block in decisions:
        exit = program.blocks[block].exit
        assert isinstance(exit, k.Decide)
        for arm in exit.arms:
            names[arm.name] = names.get(arm.name, 0) + 1
    for block in decisions:
        exit = program.blocks[block].exit
        assert isinstance(exit, k.Decide)
        for number, arm in enumerate(exit.arms):
            where = stop_in_words(program, block) or exit.label
            name = (
                f"action_possible({arm.name})"
                if names[arm.name] == 1
                else f"action_possible({where}: {arm.name})"
            )
            origin = program.origins[arm.origin] if arm.origin >= 0 else NO_ORIGIN
            yield Question(
                name, "possible", "reach", True, False, _arm(program, name, block, number), origin=origin
            )


def _arm(program: k.Program, name: str, block: int, arm: int) -> Reading:
    return lambda transitions: arm_goal(transitions, program, name, block, arm)


def _lines(program: k.Program, moving: list[int]) -> Iterable[Question]:
    """One for each source line that has statements (or an end) of the rules on it."""
    interpreted = Steps(Game(program, reader="interpreter"))
    for (file, line), origins in lines_of(program).items():
        name = f"branch_possible({file.rsplit('/', 1)[-1]} {line})"
        goal = _covering(interpreted, name, moving, frozenset(origins))
        origin = program.origins[min(origins)]
        yield Question(name, "possible", "reach", True, False, goal, origin=origin)


def _covering(steps: Steps, name: str, moving: list[int], origins: frozenset[int]) -> Reading:
    return lambda transitions: covering_goal(transitions, steps, name, moving, origins)


def _determined(program: k.Program) -> Question:
    """No end, but a declared tie, at which several players have the best keys."""
    name = "result_determined"
    blocks = [
        block
        for block in stops(program, k.End)
        if isinstance(exit := program.blocks[block].exit, k.End) and exit.form in ("win", "rank")
    ]
    if len(program.players) < 2 or not blocks:
        return Question(
            name, "at_end", "not applicable", True, note="no game ends with a winner or a ranking"
        )
    shared = _shared_first(program)
    return Question(
        name,
        "at_end",
        "reach",
        True,
        goal=lambda transitions: state_goal(transitions, Facts(program), name, shared, blocks, True),
    )


def _shared_first(program: k.Program) -> k.Expr:
    """Some two players have equal keys, and nobody has better ones."""
    count, width = len(program.players), program.width
    type_ = program.vars[program.result].type

    def key(player: int, at: int) -> k.Expr:
        index = player * width + at
        return k.At(type_, program.result, k.Const(k.Int(index, index), index))

    def at_least(player: int, other: int) -> k.Expr:
        """The keys of `player` are not below those of `other`, lexicographically."""
        result: k.Expr = k.Const(k.BOOL, 1)
        for at in reversed(range(width)):
            mine, theirs = key(player, at), key(other, at)
            equal = k.Op(k.BOOL, "and", (k.Op(k.BOOL, "eq", (mine, theirs)), result))
            result = k.Op(k.BOOL, "or", (k.Op(k.BOOL, "lt", (theirs, mine)), equal))
        return result

    def first(player: int) -> k.Expr:
        return k.Op(k.BOOL, "and", tuple(at_least(player, other) for other in range(count)))

    pairs = [(a, b) for a in range(count) for b in range(a)]
    both = [k.Op(k.BOOL, "and", (first(a), first(b))) for a, b in pairs]
    return k.Op(k.BOOL, "or", tuple(both))
