"""The names that the state and the choices have in SMT-LIB texts, and what each stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import worded
from kemu_engine.kernel.text import labels, names_of_live

from kemu_verifier.evidence.smt import quoted
from kemu_verifier.symbolic.terms import IVAR, Lin, Terms
from kemu_verifier.symbolic.transition import Step, Transitions
from kemu_verifier.symbolic.values import Value

Meaning = dict[str, Any]
"""`var` or `local` by number (and `element`) with `is`: "bool" (the truth itself), "member" (whether `value`
is in the set), "value" (whether the integer is `value`), "int" (the integer itself), "some" (whether it has a
value); `clock`: the number of decisions made; `choice`: at the stop of that number the `arm` with these
`values`; `unknown`: something about what is hidden, "bool" or "int" (from `low` to `high`)."""


class Symbols:
    """`names` by node; `meanings` by symbol; `groups`: symbols of which exactly one is true; `bounds` of
    integers."""

    def __init__(self, transitions: Transitions) -> None:
        self.transitions = transitions
        self.terms: Terms = transitions.terms
        self.names: dict[int, str] = {}
        self.meanings: dict[str, Meaning] = {}
        self.groups: list[list[int]] = []
        self._locals: set[int] = set()
        self._choices: set[int] = set()
        program, layout = transitions.program, transitions.layout
        shown = {at for at, _, _ in layout.shown()}
        for number, (var, symbol) in enumerate(zip(program.vars, layout.vars, strict=True)):
            elements = [symbol] if var.length is None else symbol
            for at, element in enumerate(elements):
                where = var.name if var.length is None else f"{var.name}[{labels(var)[at]}]"
                meaning: Meaning = {"var": number} if var.length is None else {"var": number, "element": at}
                if number in shown:
                    self._value(where, var.type, var.texts, element, meaning)
                elif isinstance(var.type, k.History):
                    self._name(element, f"{where} is empty", {**meaning, "is": "empty"})
                elif element != ():
                    self._name(element, f"{where} is some", {**meaning, "is": "some"})
        self._name(transitions.clock, "decisions made", {"clock": True})
        for node in transitions.reader.unknowns.made():
            self._unknown(node)

    def live(self, block: int) -> None:
        """Names the locals that are alive at a stop."""
        program = self.transitions.program
        for local, name in zip(program.blocks[block].live, names_of_live(program, block), strict=True):
            if local not in self._locals:
                self._locals.add(local)
                info, value = program.locals[local], self.transitions.layout.local(local)
                self._value(f"{name} (local {local})", info.type, info.texts, value, {"local": local})

    def choices(self, step: Step) -> None:
        """Names the choices at a stop."""
        if step.block in self._choices or len(step.options) < 2:
            return
        self._choices.add(step.block)
        program = self.transitions.program
        stop = program.blocks[step.block]
        for option, lit in zip(step.options, step.chosen, strict=True):
            name = _worded(program, stop.exit, option.arm, option.values)
            meaning = {"choice": step.block, "arm": option.arm, "values": list(option.values)}
            if lit > 0:
                self._name(lit, f"choose {stop.name}: {name}", meaning)

    def sort(self, node: int) -> str:
        return "Int" if self.terms.kind[node] == IVAR else "Bool"

    def state(self) -> Iterator[int]:
        """The nodes that make up a state, the locals named so far included."""
        return (
            node
            for node, name in self.names.items()
            if not {"choice", "unknown"} & self.meanings[name].keys()
        )

    # ------------------------------------------------------------------------------------------ names

    def _value(self, where: str, type_: k.Type, texts: Sequence[str], value: Value, meaning: Meaning) -> None:
        if isinstance(value, int):
            self._name(value, where, {**meaning, "is": "bool"})
        elif isinstance(value, tuple):
            for at, lit in enumerate(value):
                text = texts[at] if at < len(texts) else str(at)
                self._name(lit, f"{text} in {where}", {**meaning, "is": "member", "value": at})
        elif isinstance(value, Lin):
            self._name(value.terms[0][1], where, {**meaning, "is": "int"})
        else:
            assert isinstance(type_, k.Int)
            named = [(v, lit) for v, lit in value.pairs if lit > 1]
            for v, lit in named:
                text = texts[v - type_.low] if v - type_.low < len(texts) else str(v)
                self._name(lit, f"{where}={text}", {**meaning, "is": "value", "value": v})
            if len(value.pairs) > 2:
                self.groups.append([lit for _, lit in named])

    def _unknown(self, node: int) -> None:
        meaning: Meaning = {"unknown": True, "is": "bool"}
        if self.terms.kind[node] == IVAR:
            low, high = self.terms.bounds[node]
            meaning |= {"is": "int", "low": low, "high": high}
        self._name(node, self.terms.names[node], meaning)

    def _name(self, node: int, name: str, meaning: Meaning) -> None:
        symbol = quoted(name)
        if symbol in self.meanings:
            symbol = quoted(f"{name} #{node}")
        self.names[node] = symbol
        self.meanings[symbol] = meaning


def _worded(program: k.Program, exit: k.Exit, arm: int, values: tuple[int, ...]) -> str:
    """The text of an action or outcome."""
    if isinstance(exit, k.Chance):
        return program.domains[exit.domain].texts[values[0]]
    assert isinstance(exit, k.Decide)
    params = exit.arms[arm].params
    texts = (program.domains[p.domain].texts[v] for p, v in zip(params, values, strict=True))
    return worded(exit.arms[arm].name, texts)
