"""Why an action is not legal: the first condition of the rules file that it does not meet, and what is the
case instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.interp.frame import Faulted, Frame
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text, place
from kemu_engine.kernel.values import elements
from kemu_engine.kernel.walk import within_calls
from kemu_engine.play.state import State

LONGEST = 60  # characters of a value that is told


@dataclass(frozen=True, slots=True)
class Refusal:
    """`condition` is the text of what is not met, at `origin`. If it is what a parameter's values are taken
    from, `stray` is the argument that is not among them. `facts`: parts of the state that it was decided by,
    `stone[(1, 3)]`, `red`."""

    condition: str
    origin: k.Origin
    stray: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    tried: bool = False  # the facts are of the state that the action would lead to


def refusal(state: State, arm: k.Arm, args: tuple[str, ...]) -> Refusal | None:
    """Why an action of this arm with these arguments is not legal, or none that begins with them; None if
    nothing of the kind can be said.

    Nobody learns anything by it: beyond a condition that asks for what the player who decides does not see,
    nothing is said, for it would say how that came out; of such a condition, if it is the last, only that.
    """
    program = state.program
    frame = state.machine.frame(state.block, state.vars, state.locals)
    bound = 0
    for condition in arm.conditions:
        while bound < min(condition.params, len(args)):
            param, text = arm.params[bound], args[bound]
            texts = program.domains[param.domain].texts
            if text not in texts:
                source = next(each for each in arm.conditions if each.params == bound + 1)
                return _stray(program, source, text)
            frame.locals[param.local] = texts.index(text)
            bound += 1
        if condition.params > bound:
            return None
        unseen = _asks_unseen(state, condition.test)
        if unseen and condition != arm.conditions[-1]:
            return None
        try:
            if state.machine.evaluate(condition.test, frame):
                continue
        except Faulted:
            return None
        if condition.params and condition == _source(arm, condition.params):
            return _stray(program, condition, args[condition.params - 1])
        facts = () if unseen else tuple(dict.fromkeys(Facts(state, frame).behind(condition.test, False)))
        origin = program.origins[condition.origin]
        return Refusal(written(program, origin), origin, "", facts, isinstance(condition.test, k.Trial))
    return None


def _source(arm: k.Arm, params: int) -> k.Condition | None:
    """The condition that says what the values of a parameter are taken from."""
    return next((each for each in arm.conditions if each.params == params), None)


def _asks_unseen(state: State, test: k.Expr) -> bool:
    """Whether a condition reads what the player who decides does not see, in functions that it calls too."""
    program, live = state.program, frozenset(state.program.blocks[state.block].live)
    for part in within_calls(program.functions, test):
        match part:
            case k.Load(_, var) | k.At(_, var):
                seen = program.vars[var].seen
                if seen is not None and not all(mask >> state.player & 1 for mask in seen):
                    return True
            case k.Local(_, local) if local in live and program.locals[local].secret:
                return True
    return False


def _stray(program: k.Program, source: k.Condition, text: str) -> Refusal:
    origin = program.origins[source.origin]
    return Refusal(written(program, origin), origin, text)


def written(program: k.Program, origin: k.Origin) -> str:
    """The words of the rules file at an origin, on one line."""
    span = origin.span
    lines = program.sources.get(span.file, "").splitlines()[span.line - 1 : span.end_line]
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(line.split("#")[0].strip() if len(lines) > 1 else line.strip() for line in lines)


class Facts:
    """Follows an expression to the parts of the state that make it what it is. `whole`: all elements of an
    `all` that holds, too; `asked` then has the functions that were called for something that holds."""

    def __init__(self, state: State, frame: Frame, whole: bool = False) -> None:
        self.state, self.frame, self.whole = state, frame, whole
        self.asked: list[k.Function] = []
        self.program = state.program
        self.live = frozenset(self.program.blocks[state.block].live)

    def value(self, expr: k.Expr) -> int:
        return self.state.machine.evaluate(expr, self.frame)

    def behind(self, expr: k.Expr, holds: bool | None = None) -> Iterator[tuple[str, str]]:
        """What an expression reads on the way to its value; `holds`: whether it does, if it is a truth value
        that is known."""
        match expr:
            case k.Op(op="and" | "or" as op, args=args):
                decided = [arg for arg in args if bool(self.value(arg)) is (op == "or")]
                for arg in decided[:1] or args:
                    yield from self.behind(arg, op == "or" if decided else op == "and")
            case k.Op(op="not", args=(arg,)):
                yield from self.behind(arg, None if holds is None else not holds)
            case k.Op(args=args):
                for arg in args:
                    yield from self.behind(arg)
            case k.If(_, test, then, other):
                yield from self.behind(test)
                yield from self.behind(then if self.value(test) else other, holds)
            case k.Let(_, local, value, body):
                yield from self.behind(value)
                self.frame.locals[local] = self.value(value)
                yield from self.behind(body, holds)
            case k.Need():
                yield from self.behind(expr.value, holds)
            case k.Call(_, function, args):
                yield from self._called(self.program.functions[function], args, holds)
            case k.Fold(op="all" | "any" as op) if holds is (op == "any"):
                yield from self._decided_by(expr, holds)
            case k.Fold(op="all") if holds and self.whole:
                for _ in self._elements(expr):
                    yield from self.behind(expr.body, holds)
            case k.Lookup(_, _, index):
                yield from self.behind(index)
            case k.Load() | k.At():
                yield from self._read(expr)
            case k.Trial(_, body, test):
                frame = Frame(list(self.frame.vars), list(self.frame.locals))
                self.state.machine.run(body, frame)
                yield from Facts(self.state, frame).behind(test, holds)
            case k.Local(_, local) if local in self.live:
                info = self.program.locals[local]
                if info.texts:
                    yield self._told(info.name.rpartition(".")[2], self.value(expr), info.type, info.texts)

    def _called(
        self, function: k.Function, args: tuple[k.Expr, ...], holds: bool | None
    ) -> Iterator[tuple[str, str]]:
        values = [self.value(arg) for arg in args]
        for param, value in zip(function.params, values, strict=True):
            self.frame.locals[param] = value
        if holds:
            self.asked.append(function)
        match function.body:
            case (k.Return(returned),):
                yield from self.behind(returned, holds)

    def _decided_by(self, fold: k.Fold, holds: bool | None) -> Iterator[tuple[str, str]]:
        """The element because of which all do not, or any does."""
        for _ in self._elements(fold):
            if bool(self.value(fold.body)) is holds:
                yield from self.behind(fold.body, holds)
                return

    def _elements(self, fold: k.Fold) -> Iterator[int]:
        """The elements that it goes through, each in its binder."""
        for element in elements(self.value(fold.over)):
            self.frame.locals[fold.binder] = element
            if self.value(fold.where):
                yield element

    def _read(self, expr: k.Load | k.At) -> Iterator[tuple[str, str]]:
        var = self.program.vars[expr.var]
        at = self.value(expr.index) if isinstance(expr, k.At) else None
        if not var.local and not isinstance(var.type, k.History):
            yield self._told(place(var, at), self.value(expr), var.type, var.texts)

    def _told(self, name: str, value: int, type_: k.Type, texts: tuple[str, ...]) -> tuple[str, str]:
        text = as_text(value, type_, texts)
        return name, text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
