"""One function that plays a whole random game: no states, no lists of actions where a mask will do."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import IN_A_ROW
from kemu_engine.kernel.regions import Graph
from kemu_engine.opt.expression_analysis import block_locals
from kemu_engine.run.python.flow import Offer
from kemu_engine.run.python.masks import masks_of
from kemu_engine.run.python.phase_hoist import Steady
from kemu_engine.run.python.text import TERNARY, Block, zeroed

if TYPE_CHECKING:
    from kemu_engine.run.python.module import Module

LAPS = 1000
"""Laps without a stop before a run is watched for coming back to where it was."""


class Play(Steady):
    """The function `play`."""

    def __init__(self, module: Module, uses: Counter[int] | None, graph: Graph) -> None:
        super().__init__(module, uses, graph)
        self._cases = {
            head: number
            for number, head in enumerate(
                sorted({to for _, to in graph.jumps} - {graph.entry}, key=graph.rank.__getitem__), 1
            )
        }
        self._lapping = graph.lapping()
        self._jumped = 0
        self._by_chance = any(isinstance(block.exit, k.Chance) for block in module.program.blocks)
        self._set = sorted(block_locals(module.program.blocks))
        for local in self._set:
            self.local_names[local] = self.give(local)
        self._used: set[int] = set()

    def write(self) -> Block:
        parts: dict[int, Block] = {}
        straight = False
        for head in [self.graph.entry, *self._cases]:
            self.out = parts[self._cases.get(head, 0)] = []
            self._jumped = 0
            if head in self._lapping:
                self.line("laps += 1")
                self.block(f"if laps > {LAPS}:", ["kept = watch(laps, kept, locals())"])
            self.part(head)
            if head == self.graph.entry:
                again = any(to == head for _, to in self.graph.jumps)
                straight = not again and self._jumped == 1 and self.out[-1] == "continue"
                if straight:
                    self.settle()
        body: Block = []
        if straight:
            body += parts.pop(0)[:-1]
            if len(parts) == 1:
                body.pop()
            body += self.between
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
            lines += ["chance = words(absorb(key, 0)).__next__", "limit = outcomes + " + str(IN_A_ROW)]
        lines.append("player = words(absorb(key, 1)).__next__")
        if self._lapping:
            lines += ["laps = 0", "kept = None"]
        for at, var in enumerate(self.program.vars):
            name = self.module.slot_names[at]
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
        return [*lines, *zeroed(self.local_names[local] for local in sorted(self._used))]

    def local(self, local: int) -> str:
        name = super().local(local)
        if local in self._set:
            self._used.add(local)
        return name

    def needs_value(self, local: int, name: str) -> None:
        pass

    # ------------------------------------------------------------------------------------------ ends of parts

    def jump(self, head: int) -> None:
        self._jumped += 1
        self.jumping()
        self.line(f"at = {self._cases.get(head, 0)}")
        self.line("continue")

    def _stopped(self) -> None:
        if self._lapping:
            self.line("laps = 0")
            self.line("kept = None")

    def decide(self, number: int, decide: k.Decide, merge: int | None) -> None:
        inner = self.graph.merge(number)
        joint = merge if inner is None else inner
        if not self.traits.of(decide.actor).total:
            self.line(self.expr(decide.actor).text)
        offers = self.offers(number, decide)
        possible = [offer for offer in offers if offer.text != "False"]
        before = dict(self.versions)
        if not any(offer.text == "True" for offer in possible):
            there = " or ".join(offer.text for offer in possible)
            with self.branch() as lines:
                if decide.other < 0:
                    self.line(f"fault({decide.stuck})")
                else:
                    self.go(number, decide.other, joint)
            merging = decide.other >= 0 and joint is not None
            self.block(f"if not ({there}):", lines or ["pass"])
            if merging:
                with self.branch() as chosen:
                    self._choose(number, decide, possible, joint)
                self.block("else:", chosen)
                self._join(inner, merge, before)
                return
        self._choose(number, decide, possible, joint)
        self._join(inner, merge, before)

    def _join(self, inner: int | None, merge: int | None, before: dict[tuple[str, int], int]) -> None:
        if inner is not None:
            self.merged(before)
            self.from_block(inner, merge)

    def _choose(self, number: int, decide: k.Decide, offers: list[Offer], joint: int | None) -> None:
        self._stopped()
        self.block("if decisions == longest:", ['return decisions, branching, outcomes, "cut", None'])
        self.line("decisions += 1")
        if self._by_chance:
            self.line(f"limit = outcomes + {IN_A_ROW}")
        if not offers:
            return
        counts = [self.count([offer]) for offer in offers]
        if counts == ["1"]:
            self.line("branching += 1")
            self.line("player()")
            self._taken(number, decide, offers[0], "0", joint)
            return
        total = self.names.give("n")
        names = []
        for offer, text in zip(offers, counts, strict=True):
            if len(offers) > 1 and not text.isdecimal():
                name = self.names.give(f"n_{decide.arms[offer.arm].name}")
                self.line(f"{name} = {text}")
                text = name
            names.append(text)
        if all(text.isdecimal() for text in names):
            self.line(f"{total} = {sum(map(int, names))}")
        else:
            self.line(f"{total} = {' + '.join(names)}")
        self.line(f"branching += {total}")
        drawn = self.names.give("chosen")
        self.below(drawn, total, "player")
        self._arms(number, decide, offers, names, drawn, joint)

    def below(self, name: str, limit: str, stream: str) -> None:
        """Draws a number below a limit that is at least 1."""
        self.line(f"{name} = {stream}()")
        test = f"while {name} < {limit} and {name} < ({1 << 64:#x} - {limit}) % {limit}:"
        if not limit.isdecimal() or int(limit) & (int(limit) - 1):
            self.block(test, [f"{name} = {stream}()"])
        self.line(f"{name} %= {limit}")

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
        with self.branch() as lines:
            self._taken(number, decide, offer, drawn, joint)
        self.block(f"if {drawn} < {counts[0]}:" if counts[0] != "1" else f"if not {drawn}:", lines)
        with self.branch() as lines:
            if len(rest) > 1 or rest[0].form != "once":
                self.line(f"{drawn} -= {counts[0]}")
            self._arms(number, decide, rest, counts[1:], drawn, joint)
        self.block("else:", lines)

    def _taken(self, number: int, decide: k.Decide, offer: Offer, drawn: str, joint: int | None) -> None:
        arm = decide.arms[offer.arm]
        names = [self.local(param.local) for param in arm.params]
        if offer.form == "mask":
            self._nth(names[0], offer.text, drawn, arm.params[0].over.type)
        elif names:
            self.line(f"{', '.join(names)} = {offer.text}[{drawn}]")
        self.touch(param.local for param in arm.params)
        for test in (arm.guard, *(param.where for param in arm.params), arm.legal):
            if test != build.truth(True):
                self.facts.assume(test, True)
        self.go(number, arm.target, joint)

    def _nth(self, name: str, mask: str, drawn: str, type_: k.Type) -> None:
        """Picks the element of a set that has so many below it; halves first if the set may be large."""
        assert isinstance(type_, k.Set)
        if type_.size <= 10:
            table = self.module.constant(f"element_table({type_.size})", "ELEMENTS")
            self.line(f"{name} = {table}[{mask}][{drawn}]")
        elif type_.size > 256:
            self.line(f"{name} = nth({mask}, {drawn})")
        else:
            self._halved(name, mask, drawn, type_.size, 0)

    def _halved(self, name: str, mask: str, drawn: str, size: int, base: int) -> None:
        half = (size + 1) // 2
        low = self.names.give("low")
        below = self.names.give("below")
        self.line(f"{low} = {mask} & {(1 << half) - 1:#x}")
        self.line(f"{below} = {low}.bit_count()")
        with self.branch() as lines:
            if half <= 10:
                self._looked_up(name, low, drawn, base)
            else:
                self._halved(name, low, drawn, half, base)
        self.block(f"if {drawn} < {below}:", lines)
        with self.branch() as lines:
            if half <= 10:
                self._looked_up(name, f"{mask} >> {half}", f"{drawn} - {below}", base + half)
            else:
                self.line(f"{drawn} -= {below}")
                high = self.names.give("high")
                self.line(f"{high} = {mask} >> {half}")
                self._halved(name, high, drawn, size - half, base + half)
        self.block("else:", lines)

    def _looked_up(self, name: str, mask: str, drawn: str, base: int) -> None:
        table = self.module.constant("element_table(10)", "ELEMENTS")
        self.line(f"{name} = {table}[{mask}][{drawn}]{f' + {base}' if base else ''}")

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        size = len(self.program.domains[chance.domain].texts)
        self._stopped()
        name = self.local(chance.local)
        weight = chance.weight
        if isinstance(weight, k.Const) and weight.value:
            drawn = self.names.give("drawn")
            self.below(drawn, str(size * weight.value), "chance")
            self.line(f"{name} = {drawn}{f' // {weight.value}' if weight.value > 1 else ''}")
        else:
            weights = self._weights(chance, size)
            drawn = self.names.give("drawn")
            total = self.names.give("total")
            self.line(f"{total} = sum({weights})")
            self.block(f"if not {total}:", [f"fault({chance.empty})"])
            self.below(drawn, total, "chance")
            self.line(f"{name} = bisect_right(tuple(accumulate({weights})), {drawn})")
        self.line("outcomes += 1")
        self.block("if outcomes > limit:", ['return decisions, branching, outcomes, "cut", None'])
        self.touch((chance.local,))
        self.go(number, chance.target, merge)

    def _weights(self, chance: k.Chance, size: int) -> str:
        """A list of the weights of all outcomes."""
        weight = chance.weight
        if isinstance(weight, k.At) and isinstance(weight.index, k.Local) and weight.index.id == chance.local:
            whole = self.program.vars[weight.var].length == size
            return self.slot(weight.var) + ("" if whole else f"[:{size}]")
        self.ahead((weight,), frozenset({chance.local}), frozenset())
        weights = self.names.give("weights")
        with self.bound(chance.local) as outcome, self.branch() as body:
            text = self.expr(weight)
        if body:
            self.line(f"{weights} = []")
            self.block(f"for {outcome} in range({size}):", [*body, f"{weights}.append({text.text})"])
        else:
            self.line(f"{weights} = [{text.at(TERNARY)} for {outcome} in range({size})]")
        return weights

    def end(self, number: int, end: k.End) -> None:
        result = self.slot(self.program.result)
        self.line(f'return decisions, branching, outcomes, "end", ({number}, tuple({result}))')


def written(module: Module) -> Block:
    """The text of `play`."""
    graph = Graph(module.program.blocks, module.program.entry, True)
    return module.twice(lambda uses: Play(module, uses, graph), Play.write)[1]
