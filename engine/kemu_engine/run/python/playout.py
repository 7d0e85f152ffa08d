"""One function that plays a whole random game: no states, no lists of actions where a mask will do."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.draws import large_domain
from kemu_engine.kernel.limits import IN_A_ROW
from kemu_engine.kernel.regions import Regions
from kemu_engine.opt.analysis.expression_analysis import block_locals
from kemu_engine.opt.analysis.versions import Marks
from kemu_engine.run.python.draws import Draws
from kemu_engine.run.python.emitter import Emitter, scope_of
from kemu_engine.run.python.flow import Flow, Offer
from kemu_engine.run.python.frame import Frame
from kemu_engine.run.python.masks import masks_of
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.nesting import shallow
from kemu_engine.run.python.phase_hoist import PhaseHoist
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.text import Block, zeroed
from kemu_engine.support.stack import deep

LAPS = 1000
"""Laps without a stop before a run is watched for coming back to where it was."""


class Play:
    """The function `play`: what it does at stops."""

    def __init__(self, module: Module, graph: Regions) -> None:
        self.module, self.program = module, module.program
        self.scope = scope_of(module)
        self.frame = _Locals(module, self.scope)
        self.hoist = PhaseHoist(module, self.scope, graph)
        emit = Emitter(self.frame, self.hoist.hoisted)
        self.hoist.lazy, self.hoist.write = emit.lazy, emit.expr
        self.values, self.draws = emit.values, Draws(emit.values)
        self.flow = Flow(emit, graph, self)
        self._cases = {
            head: number
            for number, head in enumerate(
                sorted({to for _, to in graph.jumps} - {graph.entry}, key=graph.rank.__getitem__), 1
            )
        }
        self._lapping = graph.lapping()
        self._jumped = 0
        self._by_chance = any(isinstance(block.exit, k.Chance) for block in module.program.blocks)

    def write(self) -> Block:
        parts: dict[int, Block] = {}
        straight = False
        for head in [self.flow.graph.entry, *self._cases]:
            self.scope.out = parts[self._cases.get(head, 0)] = []
            self._jumped = 0
            if head in self._lapping:
                self.scope.line("laps += 1")
                self.scope.block(f"if laps > {LAPS}:", ["kept = watch(laps, kept, locals())"])
            self.scope.forget()
            self.hoist.recollect()
            self.flow.from_block(head, None)
            if head == self.flow.graph.entry:
                again = any(to == head for _, to in self.flow.graph.jumps)
                straight = not again and self._jumped == 1 and self.scope.out[-1] == "continue"
                if straight:
                    self.hoist.settle()
        body: Block = []
        if straight:
            body += parts.pop(0)[:-1]
            if len(parts) == 1:
                body.pop()
            body += self.hoist.between
        else:
            body.append("at = 0")
        if len(self._cases) == 0 and not self._jumped:
            body = parts[0]
        elif len(parts) == 1:
            body += ["while True:", self._cleaned(next(iter(parts.values())))]
        else:
            body += ["while True:", self._dispatch(sorted(parts), parts)]
        return [
            "def play(seed, game, longest):",
            [
                '"""Plays one game at random: the numbers of decisions, of actions at them, of outcomes of',
                'chance; and how it ended: "end" with the number of the end and the keys of the players,',
                '"fault" with its number, or "cut"."""',
                *self._begin(),
                "try:",
                body,
                "except Faulted as error:",
                ['return decisions, branching, outcomes, "fault", error.index'],
            ],
        ]

    def _cleaned(self, lines: Block) -> Block:
        """Without settings of the number of the next part, where there is only one."""
        return [
            self._cleaned(line) if isinstance(line, list) else line
            for line in lines
            if not (isinstance(line, str) and line.startswith("at = "))
        ]

    def _dispatch(self, numbers: list[int], parts: dict[int, Block]) -> Block:
        if len(numbers) == 1:
            return parts[numbers[0]]
        half = len(numbers) // 2
        low, high = numbers[:half], numbers[half:]
        return [
            f"if at < {high[0]}:" if len(low) > 1 else f"if at == {low[0]}:",
            self._dispatch(low, parts),
            "else:",
            self._dispatch(high, parts),
        ]

    def _begin(self) -> Block:
        lines: Block = ["decisions = branching = outcomes = 0", "key = absorb(absorb(0, seed), game)"]
        if self._by_chance:
            lines += ["chance = halves(absorb(key, 0)).__next__", "limit = outcomes + " + str(IN_A_ROW)]
        lines.append("player = halves(absorb(key, 1)).__next__")
        if self._lapping:
            lines += ["laps = 0", "kept = None"]
        for at, var in enumerate(self.program.vars):
            name = self.module.slot_names[at]
            if isinstance(var.type, k.History):
                lines.append(f"{name} = EMPTY")
                continue
            if var.length is None:
                lines.append(f"{name} = {int(var.initial) if isinstance(var.initial, int) else 0}")
                continue
            assert isinstance(var.initial, tuple)
            if len(set(var.initial)) == 1:
                lines.append(f"{name} = [{int(var.initial[0])}] * {var.length}")
            else:
                lines.append(
                    f"{name} = [*{self.module.constant(repr(tuple(map(int, var.initial))), 'INITIAL')}]"
                )
            if self.module.masked(at):
                found = [0] * masks_of(var.type)
                for place, value in enumerate(var.initial):
                    found[value] |= 1 << place
                lines.append(f"{self.module.mask_names[at]} = [{', '.join(f'{mask:#x}' for mask in found)}]")
        return [*lines, *zeroed(self.scope.local_names[local] for local in sorted(self.frame.used))]

    # ------------------------------------------------------------------------------------------ ends of parts

    def jump(self, head: int) -> None:
        self._jumped += 1
        self.hoist.jumping()
        self.scope.line(f"at = {self._cases.get(head, 0)}")
        self.scope.line("continue")

    def _stopped(self) -> None:
        if self._lapping:
            self.scope.line("laps = 0")
            self.scope.line("kept = None")

    def decide(self, number: int, decide: k.Decide, merge: int | None) -> None:
        inner = self.flow.graph.merge(number)
        joint = merge if inner is None else inner
        if not self.scope.traits.of(decide.actor).total:
            self.scope.line(self.values.expr(decide.actor).text)
        offers = self.flow.offers(number, decide)
        possible = [offer for offer in offers if offer.text != "False"]
        before = self.scope.versions.mark()
        if not any(offer.text == "True" for offer in possible):
            there = " or ".join(offer.text for offer in possible)
            with self.scope.branch() as lines:
                if decide.other < 0:
                    self.scope.line(f"fault({decide.stuck})")
                else:
                    self.flow.go(number, decide.other, joint)
            merging = decide.other >= 0 and joint is not None
            self.scope.block(f"if not ({there}):", lines or ["pass"])
            if merging:
                with self.scope.branch() as chosen:
                    self._choose(number, decide, possible, joint)
                self.scope.block("else:", chosen)
                self._join(inner, merge, before)
                return
        self._choose(number, decide, possible, joint)
        self._join(inner, merge, before)

    def _join(self, inner: int | None, merge: int | None, before: Marks) -> None:
        if inner is not None:
            self.scope.versions.merge(before)
            self.flow.from_block(inner, merge)

    def _choose(self, number: int, decide: k.Decide, offers: list[Offer], joint: int | None) -> None:
        self._stopped()
        self.scope.block("if decisions == longest:", ['return decisions, branching, outcomes, "cut", None'])
        self.scope.line("decisions += 1")
        if self._by_chance:
            self.scope.line(f"limit = outcomes + {IN_A_ROW}")
        if not offers:
            return
        counts = [self.flow.count([offer]) for offer in offers]
        if counts == ["1"]:
            self.scope.line("branching += 1")
            self.scope.line("player()")
            self._taken(number, decide, offers[0], "0", joint)
            return
        total = self.scope.names.give("n")
        names = []
        for offer, text in zip(offers, counts, strict=True):
            if len(offers) > 1 and not text.isdecimal():
                name = self.scope.names.give(f"n_{decide.arms[offer.arm].name}")
                self.scope.line(f"{name} = {text}")
                text = name
            names.append(text)
        if all(text.isdecimal() for text in names):
            self.scope.line(f"{total} = {sum(map(int, names))}")
        else:
            self.scope.line(f"{total} = {' + '.join(names)}")
        self.scope.line(f"branching += {total}")
        drawn = self.scope.names.give("chosen")
        size = large_domain(self.program, decide)
        if size is None:
            self.draws.below(drawn, total, "player")
            self._arms(number, decide, offers, names, drawn, joint)
        else:
            self.draws.value(decide.arms[0], offers[0], total, drawn, size)
            self._onwards(number, decide, offers[0], joint)

    def _arms(
        self,
        number: int,
        decide: k.Decide,
        offers: list[Offer],
        counts: list[str],
        drawn: str,
        joint: int | None,
    ) -> None:
        offer, rest = offers[0], offers[1:]
        if not rest:
            self._taken(number, decide, offer, drawn, joint)
            return
        with self.scope.branch() as lines:
            self._taken(number, decide, offer, drawn, joint)
        self.scope.block(f"if {drawn} < {counts[0]}:" if counts[0] != "1" else f"if not {drawn}:", lines)
        with self.scope.branch() as lines:
            if len(rest) > 1 or rest[0].form != "once":
                self.scope.line(f"{drawn} -= {counts[0]}")
            self._arms(number, decide, rest, counts[1:], drawn, joint)
        self.scope.block("else:", lines)

    def _taken(self, number: int, decide: k.Decide, offer: Offer, drawn: str, joint: int | None) -> None:
        self.draws.bound(decide.arms[offer.arm], offer, drawn)
        self._onwards(number, decide, offer, joint)

    def _onwards(self, number: int, decide: k.Decide, offer: Offer, joint: int | None) -> None:
        arm = decide.arms[offer.arm]
        self.scope.touch(param.local for param in arm.params)
        for test in (arm.guard, *(param.where for param in arm.params), arm.legal):
            if test != build.truth(True):
                self.scope.ranges.assume(test, True)
        self.flow.go(number, arm.target, joint)

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        self._stopped()
        self.draws.outcome(chance)
        self.scope.line("outcomes += 1")
        self.scope.block("if outcomes > limit:", ['return decisions, branching, outcomes, "cut", None'])
        self.scope.touch((chance.local,))
        self.flow.go(number, chance.target, merge)

    def end(self, number: int, end: k.End) -> None:
        result = self.frame.slot(self.program.result)
        self.scope.line(f'return decisions, branching, outcomes, "end", ({number}, tuple({result}))')


class _Locals(Frame):
    """Takes note of the locals of blocks that are in use."""

    def __init__(self, module: Module, scope: Scope) -> None:
        super().__init__(module, scope)
        self.used: set[int] = set()
        self._set = block_locals(module.program.blocks) - module.traits.named.keys()
        for local in sorted(self._set):
            scope.local_names[local] = self.give(local)

    def local(self, local: int) -> str:
        if local in self._set:
            self.used.add(local)
        return super().local(local)


def written(module: Module) -> Block:
    """The text of `play`."""
    graph = Regions(module.program.blocks, module.program.entry, True)
    with deep():
        return shallow(Play(module, graph).write())
