"""Functions that lead from stop to stop: what State and Game run on."""

from __future__ import annotations

from functools import cached_property

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.liveness import needed, perhaps_set
from kemu_engine.kernel.regions import Regions
from kemu_engine.opt.analysis.expression_analysis import block_locals
from kemu_engine.run.python.emitter import Emitter, scope_of
from kemu_engine.run.python.flow import Flow
from kemu_engine.run.python.frame import Frame
from kemu_engine.run.python.masks import masks_of
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.nesting import shallow
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.text import Block, Text, identifier, listed, place_of, quoted, zeroed
from kemu_engine.support.stack import deep


class Steps:
    """The functions from stop to stop of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.graph = Regions(module.program.blocks, module.program.entry, False)
        self.shared = self._shared()
        self._perhaps_set = perhaps_set(module.source)
        self.set = block_locals(module.program.blocks) - module.traits.named.keys()
        self.names = self._local_names()
        self._names = {head: module.names.give(self._title(head)) for head in sorted(self.graph.heads)}
        self.begin = self.name(self.graph.entry)

    def _shared(self) -> set[int]:
        """The locals that are kept from part to part."""
        wanted = needed(self.module.source)
        found = {local for block in self.module.program.blocks for local in block.live}
        for head in self.graph.heads:
            found |= wanted[head]
        for block in self.module.program.blocks:
            if isinstance(block.exit, k.Decide):
                found |= {param.local for arm in block.exit.arms for param in arm.params}
            if isinstance(block.exit, k.Chance):
                found.add(block.exit.local)
        return found

    def forgotten(self, number: int) -> set[int]:
        """The locals that lose their value at a stop, if play goes on from it at once, and may be kept by
        another stop."""
        kept = {local for block in self.module.program.blocks for local in block.live}
        return (kept & self._perhaps_set[number]) - set(self.module.program.blocks[number].live)

    def _local_names(self) -> dict[int, str]:
        names = {}
        for local in sorted(self.shared):
            title = self.module.program.locals[local].name
            names[local] = self.module.names.give(title.split(".")[-1], title)
        return names

    def name(self, head: int) -> str:
        """The name of the function of a part."""
        return self._names[head]

    def _title(self, head: int) -> str:
        if head == self.graph.entry:
            return "begin"
        name = self.module.program.blocks[head].name
        return f"at_{identifier(name)}" if name else self._titles.get(head, f"block_{head}")

    @cached_property
    def _titles(self) -> dict[int, str]:
        """Of what comes after a stop."""
        found: dict[int, str] = {}
        for block in self.module.program.blocks:
            title = f"after_{identifier(block.name)}"
            if isinstance(block.exit, k.Decide):
                for arm in block.exit.arms:
                    found.setdefault(self.graph.after(arm.target), f"{title}_{identifier(arm.name)}")
            if isinstance(block.exit, k.Chance):
                found.setdefault(self.graph.after(block.exit.target), title)
        return found

    def said(self, head: int) -> str:
        """What a reader may want to know of the function of a part."""
        program = self.module.program
        exit = program.blocks[head].exit
        if isinstance(exit, k.Decide | k.Chance):
            place = place_of(program, exit.origin)
            kind = "decision" if isinstance(exit, k.Decide) else "chance node"
            some = " if anything can be done" if isinstance(exit, k.Decide) else ""
            return f"Stops at the {kind} {exit.label}{f' ({place})' if place else ''}{some}."
        if isinstance(exit, k.End):
            return "The end of the game."
        if head == self.graph.entry:
            return "The set-up, from the initial values."
        ways = self._after.get(head)
        return f"After {'; '.join(ways)}." if ways else "Further on, whichever way play came."

    @cached_property
    def _after(self) -> dict[int, list[str]]:
        """By part what has just happened."""
        found: dict[int, list[str]] = {}
        for block in self.module.program.blocks:
            if isinstance(block.exit, k.Decide):
                for arm in block.exit.arms:
                    params = ", ".join(self.names[param.local] for param in arm.params)
                    said = f"{block.exit.label}: {arm.name}{f'({params})' if params else ''}"
                    found.setdefault(self.graph.after(arm.target), []).append(said)
            if isinstance(block.exit, k.Chance):
                said = f"chance: {block.exit.label}({self.names[block.exit.local]})"
                found.setdefault(self.graph.after(block.exit.target), []).append(said)
        return found

    def ways(self) -> dict[tuple[int, int], tuple[str, tuple[str, ...]]]:
        """Where every choice leads, by its stop and arm: the function of a part, and the names of what the
        choice sets."""
        found = {}
        for number, block in enumerate(self.module.program.blocks):
            exit = block.exit
            if isinstance(exit, k.Decide):
                for at, arm in enumerate(exit.arms):
                    names = tuple(self.names[param.local] for param in arm.params)
                    found[number, at] = self.name(self.graph.after(arm.target)), names
            elif isinstance(exit, k.Chance):
                found[number, 0] = self.name(self.graph.after(exit.target)), (self.names[exit.local],)
        return found

    def live(self, number: int) -> tuple[str, ...]:
        """The names of what a stop keeps."""
        return tuple(self.names[local] for local in self.module.program.blocks[number].live)

    def choices(self, number: int, arm: int) -> str:
        """The name of a table of the Choices of an arm, or of its one Choice."""
        exit = self.module.program.blocks[number].exit
        assert isinstance(exit, k.Decide)
        params = exit.arms[arm].params
        if not params:
            return self.module.constant(f"Choice({arm}, ())", "CHOICE")
        size = len(self.module.program.domains[params[0].domain].texts)
        return self.module.constant(f"tuple(Choice({arm}, (i,)) for i in range({size}))", "CHOICES")

    def position(self) -> Block:
        """The class of positions, and how they come from and become tuples of values."""
        program, module = self.module.program, self.module
        slots = [*module.slot_names, *module.mask_names.values(), *self.names.values()]
        first: Block = []
        names = []
        for at, var in enumerate(program.vars):
            name = module.slot_names[at]
            names.append(name)
            if var.length is None:
                first.append(f"s.{name} = {name}")
                continue
            first.append(f"s.{name} = list({name})")
            if module.masked(at):
                first.append(f"s.{module.mask_names[at]} = masks({name}, {masks_of(var.type)})")
        if self.names:
            first += zeroed(f"s.{name}" for name in self.names.values())
        values = [
            f"s.{name}," if var.length is None else f"tuple(s.{name}),"
            for name, var in zip(module.slot_names, program.vars, strict=True)
        ]
        unpacking = [f"{', '.join(names)}{',' if len(names) == 1 else ''} = vars"] if names else []
        return [
            "class Position:",
            [
                '"""Variables and locals at work."""',
                "",
                *listed("__slots__ = (", [f'"{slot}",' for slot in slots], ")"),
            ],
            "",
            "",
            "def unpacked(vars):",
            [
                '"""A position with these values of the variables."""',
                "s = Position()",
                *unpacking,
                *first,
                "return s",
            ],
            "",
            "",
            "def packed(s):",
            ['"""The values of the variables."""', *listed("return (", values, ")")],
        ]


class _Position(Frame):
    """Variables and shared locals live in the position `s`: they are read at the head, and written there."""

    def __init__(self, module: Module, scope: Scope, steps: Steps) -> None:
        super().__init__(module, scope)
        self.steps = steps
        self.read: dict[str, None] = {}
        self.unset: dict[str, None] = {}
        self._certain: set[str] = set()
        self._root = scope.out
        for local in steps.shared:
            scope.local_names[local] = steps.names[local]
        scope.names.taken |= set(steps.names.values())

    def slot(self, var: int) -> str:
        if var not in self.scope.slots:
            self.read[self.module.slot_names[var]] = None
        return super().slot(var)

    def mask_slot(self, var: int) -> str:
        if var not in self.scope.mask_slots:
            self.read[self.module.mask_names[var]] = None
        return super().mask_slot(var)

    def local(self, local: int) -> str:
        name = super().local(local)
        if local in self.steps.shared and name == self.steps.names[local]:
            self.read[name] = None
        elif local in self.steps.set and self.scope.local_names[local] == name and name not in self._certain:
            self.unset[name] = None
        return name

    def needs_value(self, local: int, name: str) -> None:
        if name not in self.read:
            self.unset[name] = None

    def set_local(self, local: int, text: Text) -> str:
        own = self.scope.local_names.get(local)
        at_root = self.scope.out is self._root
        if at_root and local not in self.steps.shared and own not in self.unset:
            self._certain.add(super().local(local))
        name = self.local(local)
        if name in self.read:
            self.scope.line(f"s.{name} = {name} = {text.text}")
        elif text.text != name:
            self.scope.line(f"{name} = {text.text}")
        return name

    def store(self, var: int, text: Text) -> None:
        if var in self.scope.slots:
            super().store(var, text)
            return
        name = self.slot(var)
        self.scope.line(f"s.{name} = {name} = {text.text}")

    def after_loop(self, local: int) -> None:
        if local in self.steps.shared and self.local(local) in self.read:
            self.scope.line(f"s.{self.local(local)} = {self.local(local)}")


class Part:
    """One part of the control graph as a function of a position `s`. It gives the next part, or the stop."""

    def __init__(self, module: Module, steps: Steps, head: int) -> None:
        self.module, self.program = module, module.program
        self.steps = steps
        self.head = head
        self.scope = scope_of(module)
        self.frame = _Position(module, self.scope, steps)
        emit = Emitter(self.frame)
        self.values, self.loops = emit.values, emit.loops
        self.flow = Flow(emit, steps.graph, self)

    def write(self) -> Block:
        name, said = self.steps.name(self.head), self.steps.said(self.head)
        self.flow.part(self.head)
        lines: Block = [f'"""{quoted(said)}"""'] if said else []
        lines += [f"{name} = s.{name}" for name in self.frame.read]
        return [f"def {name}(s):", [*lines, *zeroed(self.frame.unset), *self.scope.out]]

    def jump(self, head: int) -> None:
        self.scope.line(f"return {self.steps.name(head)}")

    def _stop(self, number: int, actor: str, choices: str) -> str:
        names = [self.frame.local(local) for local in self.program.blocks[number].live]
        live = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
        return f"return Stop({number}, packed(s), {live}, {actor}, {choices})"

    def decide(self, number: int, decide: k.Decide, merge: int | None) -> None:
        actor = self.scope.named(self.values.expr(decide.actor), "actor")
        offers = self.flow.offers(number, decide)
        shown = []
        for offer in offers:
            table = self.steps.choices(number, offer.arm)
            if offer.form == "once":
                if offer.text != "False":
                    shown.append(
                        f"{table}" if offer.text == "True" else f"*([{table}] if {offer.text} else [])"
                    )
            elif offer.form == "mask":
                shown.append(f"*[{table}[i] for i in elements({offer.text})]")
            elif len(decide.arms[offer.arm].params) == 1:
                shown.append(f"*[{table}[i] for i in {offer.text}]")
            else:
                shown.append(f"*[Choice({offer.arm}, each) for each in {offer.text}]")
        certain = any(offer.text == "True" for offer in offers)
        choices = f"({', '.join(shown)},)"
        if certain:
            self.scope.line(self._stop(number, actor, choices))
            return
        name = self.scope.names.give("choices")
        self.scope.line(f"{name} = {choices}" if shown else f"{name} = ()")
        self.scope.block(f"if {name}:", [self._stop(number, actor, name)])
        if decide.other < 0:
            self.scope.line(f"fault({decide.stuck})")
            return
        for local in sorted(self.steps.forgotten(number)):
            self.frame.set_local(local, Text("0"))
            self.scope.touch((local,))
        self.flow.go(number, decide.other, merge)

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        size = len(self.program.domains[chance.domain].texts)
        weight = chance.weight
        if isinstance(weight, k.Const) and weight.value:
            table = self.module.constant(
                f"tuple(Choice(0, (i,), {weight.value}) for i in range({size}))", "OUTCOMES"
            )
            self.scope.line(self._stop(number, "-1", table))
            return
        name = self.scope.names.give("choices")
        self.scope.line(f"{name} = []")
        with self.loops.elements(chance.local, build.full(size), build.truth(True)) as (outcome, body):
            text = self.scope.named(self.values.expr(weight), "weight")
            body += [f"if {text}:", [f"{name}.append(Choice(0, ({outcome},), {text}))"]]
        self.scope.block(f"if not {name}:", [f"fault({chance.empty})"])
        self.scope.line(self._stop(number, "-1", f"tuple({name})"))

    def end(self, number: int, end: k.End) -> None:
        self.scope.line(self._stop(number, "-1", "()"))


def function(steps: Steps, head: int) -> Block:
    """The text of the function of a part."""
    with deep():
        return shallow(Part(steps.module, steps, head).write())
