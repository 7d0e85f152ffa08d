"""What is asked of a program and the claims about it (docs/verdicts.md)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

from kemu_checker.machine import STOPS
from kemu_checker.state import MALFORMED, SILENT
from kemu_checker.statements import Place
from kemu_checker.text import BadText, Node

STANDARD = {"no_fault", "never_stuck", "terminates", "ends_almost_surely", "result_determined", "informed"}
STANDARD |= {"no_leak", "action_possible", "branch_possible"}
_NTH = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, slots=True)
class Question:
    """A kind (docs/evidence.md) and what it takes to know the case.

    The case of `state`: at one of `blocks` all of `exprs` are true; or one faults, if `fault` is set.
    """

    key: str
    kind: str
    hoped: bool = False
    blocks: frozenset[int] = frozenset()
    exprs: tuple[Node, ...] = ()
    fault: bool = False
    faults: frozenset[int] = frozenset()
    arm: int = 0
    places: frozenset[Place] = frozenset()
    chance: bool = False
    run: Node | None = None  # the program of a rule by itself, or up to where play first comes to some stops
    form: str = ""  # what is claimed of it; of comparisons: which one


_TRUE = Node("Bool", ())


def op(operator: str, *arguments: Node) -> Node:
    """A truth value, computed of others."""
    return Node("Op", (_TRUE, operator, arguments))


def number(value: int) -> Node:
    """A constant."""
    return Node("Const", (Node("Int", (value, value)), value))


def questions(program: Node, claims: Node) -> list[Question]:
    """All of them; no key twice."""
    properties, assertions, lines, _ = claims.fields
    found = [each for item in properties if (each := _of_property(program, item)) is not None]
    _own_names(properties, assertions)
    blocks, faults = program.fields[9], program.fields[8]
    for name, among in (each.fields for each in assertions):
        found.append(Question(name, "fault", faults=frozenset(among)))
    stuck = frozenset(i for i, fault in enumerate(faults) if fault.fields[0] == "stuck")
    others = frozenset(range(len(faults))) - stuck | {MALFORMED, SILENT}
    found += [
        Question("no_fault", "fault", faults=others),
        Question("never_stuck", "fault", faults=stuck),
        Question("terminates", "ending"),
        *_arms(program),
    ]
    if any(block.fields[1].kind == "Chance" for block in blocks):
        found.append(Question("ends_almost_surely", "ending", chance=True))
    for file, line, places in (each.fields for each in lines):
        found.append(Question(f"branch_possible({file} {line})", "line", True, places=frozenset(places)))
    alike = (Question(form, "alike", form=form) for form in ("informed", "no_leak"))
    found += [_determined(program), *alike]
    return _numbered(found)


def _own_names(properties: tuple[Node, ...], assertions: tuple[Node, ...]) -> None:
    """No claim has the name of a question that is asked of every game, unless it asks the same; and none has
    a name that could be taken for a line of what is said about another."""
    for name, form in [(each.fields[0], each.fields[1]) for each in (*properties, *assertions)]:
        base = name.partition("(")[0].strip()
        if base in STANDARD and form not in ("standard", base):
            raise BadText(f"a claim has the name of a standard question: {name}")
        if form != "standard" and (name.startswith(("action_possible(", "branch_possible(")) or not name):
            raise BadText(f"a claim has the name of a standard question: {name}")


def _numbered(found: list[Question]) -> list[Question]:
    taken: set[str] = set()
    result = []
    for each in found:
        key, n = each.key, 1
        while key in taken:
            n += 1
            key = f"{each.key} ({n})"
        taken.add(key)
        result.append(replace(each, key=key))
    return result


def _of_property(program: Node, item: Node) -> Question | None:
    name, form, exprs, bound, at, _, _, run = item.fields
    kinds = {"at_end": {"End"}, "everywhere": set(STOPS)}.get(form, {"Decide", "End"})
    blocks = (
        frozenset(at)
        if at
        else frozenset(i for i, block in enumerate(program.fields[9]) if block.fields[1].kind in kinds)
    )
    if form == "standard":
        return None
    if run is not None:
        return Question(name, "run", form=form, run=run.fields[0])
    match form:
        case "initially":
            first = at or sorted(blocks)
            bad = op("not", op("and", *exprs, *_yes))
            return Question(
                name, "first", False, frozenset(first[:1]), (bad,), True, run=up_to(program, frozenset(first))
            )
        case "always" | "everywhere" | "at_end":
            return Question(name, "state", False, blocks, (op("not", op("and", *exprs, *_yes)),), True)
        case "never":
            return Question(name, "state", False, blocks, exprs, True)
        case "at_most":
            return Question(name, "state", False, blocks, (op("lt", number(bound or 0), *exprs),), True)
        case "at_least":
            return Question(name, "state", False, blocks, (op("lt", *exprs, number(bound or 0)),), True)
        case "possible":
            return Question(name, "state", True, blocks, exprs)
        case "always_possible":
            return Question(name, "return", False, blocks, exprs)
        case "terminates" | "ends_almost_surely":
            return Question(name, "ending", chance=form != "terminates")
        case "maximize":
            return Question(name, "most", False, blocks, exprs)
        case _:
            return Question(name, "unknown")


_yes = (Node("Const", (_TRUE, 1)),)


def up_to(program: Node, stops: frozenset[int]) -> Node:
    """The program that is over with the first step from one of these stops."""
    blocks = program.fields[9]
    over = Node("Block", ((), Node("End", ("tie",)), (), "over"))
    ended = (_ending(block, len(blocks)) if i in stops else block for i, block in enumerate(blocks))
    return Node("Program", (*program.fields[:9], (*ended, over), *program.fields[10:]))


def _ending(block: Node, over: int) -> Node:
    """The block whose actions, or outcomes, lead there."""
    code, leave, *more = block.fields
    match leave.kind:
        case "Decide":
            arms = tuple(Node("Arm", (*arm.fields[:4], over)) for arm in leave.fields[2])
            leave = Node("Decide", (*leave.fields[:2], arms, *leave.fields[3:]))
        case "Chance":
            leave = Node("Chance", (*leave.fields[:4], over, leave.fields[5]))
    return Node("Block", (code, leave, *more))


def _arms(program: Node) -> list[Question]:
    arms = [
        (b, i, arm.fields[0])
        for b, block in enumerate(program.fields[9])
        if block.fields[1].kind == "Decide"
        for i, arm in enumerate(block.fields[1].fields[2])
    ]
    often = Counter(name for _, _, name in arms)
    found = []
    for block, i, name in arms:
        shown = name if often[name] == 1 else f"{_stop(program.fields[9][block].fields[3])}: {name}"
        found.append(Question(f"action_possible({shown})", "arm", True, frozenset({block}), arm=i))
    return found


def _stop(name: str) -> str:
    """A stop in words: `the second turn.settle` is the one whose name is `turn.settle#2`."""
    name, _, number = name.partition("#")
    if number in ("", "1"):
        return name
    nth = dict(enumerate(_NTH, 2)).get(int(number), f"{number}th")
    return f"the {nth} {name}"


def _determined(program: Node) -> Question:
    """The case: after a win or a ranking several players share the first place."""
    players, result, width = len(program.fields[2]), program.fields[11], program.fields[12]
    blocks = frozenset(
        i
        for i, block in enumerate(program.fields[9])
        if block.fields[1].kind == "End" and block.fields[1].fields[0] in ("win", "rank")
    )
    kind = program.fields[3][result].fields[1]

    def key(player: int, place: int) -> Node:
        return Node("At", (kind, result, number(player * width + place)))

    def equal(one: int, other: int) -> Node:
        return op("and", *_yes, *(op("eq", key(one, i), key(other, i)) for i in range(width)))

    def below(one: int, other: int) -> Node:
        cases = []
        for i in range(width):
            before = (op("eq", key(one, j), key(other, j)) for j in range(i))
            cases.append(op("and", *_yes, *before, op("lt", key(one, i), key(other, i))))
        return op("or", op("not", *_yes), *cases)

    shared = [
        op("and", equal(a, b), *(op("not", below(a, c)) for c in range(players) if c not in (a, b)))
        for a in range(players)
        for b in range(a)
    ]
    return Question("result_determined", "state", False, blocks, (op("or", op("not", *_yes), *shared),))


def all_see(program: Node, claims: Node) -> bool:
    """Whether nothing is hidden from anybody, and everything told at once, by a text that tells it."""
    seen: list[Any] = [var.fields[6] for var in program.fields[3]]
    hidden = any(each is not None for each in seen) or any(local.fields[3] for local in program.fields[4])
    return not hidden and not claims.fields[3] and all(starmap(_tells, _said(program)))


def _said(program: Node) -> Iterator[tuple[Node, bool]]:
    """The domains of what is done at stops; whether other texts stand beside theirs. Of actions that have one
    name a text tells nothing."""
    for node in (block.fields[1] for block in program.fields[9]):
        match node.kind:
            case "Chance":
                yield program.fields[6][node.fields[3]], False
            case "Decide":
                yield Node("Domain", ("actions", tuple(arm.fields[0] for arm in node.fields[2]))), False
                for params in (arm.fields[1] for arm in node.fields[2]):
                    yield from ((program.fields[6][each.fields[4]], len(params) > 1) for each in params)


def _tells(domain: Node, beside: bool) -> bool:
    texts = domain.fields[1]
    return len(set(texts)) == len(texts) and not (beside and any(map(_parted, texts)))


def _parted(text: str) -> bool:
    """Whether there is a comma outside of brackets: the text could be taken for two."""
    depth = 0
    for each in text:
        depth += (each in "([{") - (each in ")]}")
        if depth < 0 or (each == "," and not depth):
            return True
    return depth > 0
