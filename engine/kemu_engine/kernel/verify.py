"""Whether a kernel program keeps the kernel's contract: types, ids, intervals, stops, names, live locals."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import Stopping, edges
from kemu_engine.kernel.liveness import Flow, needed, perhaps_set
from kemu_engine.kernel.text import canonical
from kemu_engine.kernel.values import BrokenProgram, is_of
from kemu_engine.kernel.verify_nodes import Nodes
from kemu_engine.support.stack import deep

CONDITIONS = {"always", "never", "everywhere", "initially", "possible", "always_possible", "at_end"}


def validate(program: k.Program) -> None:
    """Raises BrokenProgram, with the problems one a line, if there are any."""
    found = problems(program)
    if found:
        raise BrokenProgram("\n".join(found))


def problems(program: k.Program) -> list[str]:
    """What is wrong with a program, a sentence each; nothing if it is well formed.

    That values stay within the intervals of their nodes is checked as far as the types alone show it; a
    game with `checked` (kemu_engine.play.game.Game) checks every value that it meets.
    """
    checker = Checker(program)
    checker.whole()
    return checker.found


class Checker(Nodes):
    """Checks a whole program."""

    def whole(self) -> None:
        with deep():
            self.layout()
            self.functions()
            if self.blocks():
                self.live_locals()
                self.claims()

    # ---------------------------------------------------------------------------------------- layout

    def layout(self) -> None:
        program = self.program
        self.distinct("variable", [var.name for var in program.vars])
        for var in program.vars:
            with self.at(f"variable {var.name}"):
                self._layout_of(var)
        for local, info in enumerate(program.locals):
            with self.at(f"local {info.name} ({local})"):
                self.kind(info.type)
                self.say(isinstance(info.type, k.History), "a local is no history")
                self.texts(info.type, info.texts)
        for domain in program.domains:
            self.distinct(f"text of domain {domain.name}", [canonical(text) for text in domain.texts])
        for fault in program.faults:
            self.origin(fault.origin)
        self.say(not program.players, "there are no players")
        self.distinct("player", list(program.players))
        self._result()

    def _layout_of(self, var: k.Var) -> None:
        self.kind(var.type)
        self.texts(var.type, var.texts)
        values = var.initial if isinstance(var.initial, tuple) else (var.initial,)
        self.say(isinstance(var.type, k.History) and var.length is not None, "an array of histories")
        self.say(
            isinstance(var.initial, tuple) != (var.length is not None), "its initial value has the wrong form"
        )
        self.say(
            len(values) != (1 if var.length is None else var.length), "the wrong number of initial values"
        )
        for value in values:
            self.say(not is_of(value, var.type), "initial value {} is no {}", value, var.type)
        if var.labels:
            self.say(len(var.labels) != var.length, "the wrong number of labels")
            self.distinct("label", list(var.labels))
        if var.seen is not None:
            self.say(len(var.seen) != len(values), "the wrong number of masks in `seen`")
            everyone = k.Set(len(self.program.players))
            self.say(
                not all(is_of(mask, everyone) for mask in var.seen), "`seen` names a player that is none"
            )

    def _result(self) -> None:
        program = self.program
        if not any(isinstance(block.exit, k.End) for block in program.blocks):
            return
        if not 0 <= program.result < len(program.vars):
            self.say(True, "there is no variable {} for the result", program.result)
            return
        var = program.vars[program.result]
        keys = len(program.players) * program.width
        self.say(program.width < 1 or var.length != keys, "the result {} needs {} elements", var.name, keys)
        self.say(not isinstance(var.type, k.Int), "the result {} needs integers", var.name)

    # ---------------------------------------------------------------------------------------- functions

    def functions(self) -> None:
        for number, function in enumerate(self.program.functions):
            self.function = number
            with self.at(f"function {function.name}"):
                self.origin(function.origin)
                self.kind(function.type)
                known = [self.number(local, self.program.locals, "local") for local in function.params]
                self.say(len(set(function.params)) != len(known), "a parameter is named twice")
                self.code(function.body, laps=False, writes=False)
                flow = Flow(self.reads)
                flow.set = frozenset(function.params) | self.names()
                flow.code(function.body)
                self.say(flow.set is not None, "it can end without a Return")
                names = [self.program.locals[local].name for local in sorted(flow.read)]
                self.say(bool(names), "it reads {} before setting it", names)
        self.function = -1
        self._recursion()

    def names(self) -> frozenset[int]:
        """The locals that expressions set."""
        return frozenset()

    def _recursion(self) -> None:
        done: set[int] = set()
        for number in range(len(self.program.functions)):
            self._visit(number, (), done)

    def _visit(self, number: int, open_: tuple[int, ...], done: set[int]) -> None:
        if number in open_:
            self.say(True, "function {} calls itself", self.program.functions[number].name)
        elif number not in done:
            for called in sorted(self.calls.get(number, ())):
                self._visit(called, (*open_, number), done)
            done.add(number)

    # ---------------------------------------------------------------------------------------- blocks

    def blocks(self) -> bool:
        """Checks the control graph; false if it leads to blocks that are none, so that it cannot be
        followed."""
        program = self.program
        numbers = range(len(program.blocks))
        sound = program.entry in numbers
        self.say(not sound, "there is no block {} to begin with", program.entry)
        names = [block.name for block in program.blocks if isinstance(block.exit, Stopping)]
        self.distinct("stop", names)
        for number, block in enumerate(program.blocks):
            with self.at(f"block {number}{' ' + block.name if block.name else ''}"):
                for edge in edges(block.exit):
                    if edge.target not in numbers:
                        sound = False
                        self.say(True, "there is no block {} to go on with", edge.target)
                if id(block) not in self._sound:
                    self._block(block)
                    self._sound[id(block)] = block
        return sound

    def _block(self, block: k.Block) -> None:
        self.code(block.code, laps=False)
        stops = isinstance(block.exit, Stopping)
        self.say(stops and bool(block.code), "a stop has code")
        self.say(stops and not block.name, "a stop has no name")
        self.say(bool(block.live) and not stops, "only stops have live locals")
        self.say(len(set(block.live)) != len(block.live), "a live local is named twice")
        for local in block.live:
            self.number(local, self.program.locals, "local")
        match block.exit:
            case k.Split(test):
                self.truth(test)
            case k.Switch(local, targets):
                self.say(not targets, "a Switch has no targets")
                if self.number(local, self.program.locals, "local"):
                    type_ = self.program.locals[local].type
                    self.say(not self.fits(type_, k.Int(0, len(targets) - 1)), "a Switch has too few targets")
            case k.Decide():
                self._decide(block.exit)
            case k.Chance():
                self._chance(block.exit)
            case k.End(_, origin):
                self.origin(origin)
            case k.Fail(fault):
                self.number(fault, self.program.faults, "fault")

    def _decide(self, decide: k.Decide) -> None:
        self.origin(decide.origin)
        self.within(decide.actor, k.Int(0, len(self.program.players) - 1), "the actor")
        if decide.other < 0:
            self.number(decide.stuck, self.program.faults, "fault")
        for arm in decide.arms:
            with self.at(f"arm {arm.name}"):
                self.origin(arm.origin)
                self.truth(arm.guard)
                for param in arm.params:
                    self._param(param)
                self.truth(arm.legal)
                for condition in arm.conditions:
                    self.origin(condition.origin)
                    self.truth(condition.test)
        for position, arm in enumerate(decide.arms):
            for other in decide.arms[:position]:
                self.say(self._clash(arm, other), "two arms allow the same action {}", arm.name)

    def _param(self, param: k.Param) -> None:
        size = self.size_of(param.over)
        self.truth(param.where)
        if self.number(param.local, self.program.locals, "local") and size is not None:
            self.say(
                not self.fits(k.Int(0, size - 1), self.program.locals[param.local].type),
                "{} does not fit",
                param.name,
            )
        if self.number(param.domain, self.program.domains, "domain") and size is not None:
            texts = self.program.domains[param.domain].texts
            self.say(len(texts) < size, "{} has more values than its domain has texts", param.name)

    def _clash(self, one: k.Arm, other: k.Arm) -> bool:
        """Whether two arms can have an action of the same text."""
        if one.name != other.name or len(one.params) != len(other.params):
            return False
        domains = self.program.domains
        pairs = zip(one.params, other.params, strict=True)
        return all(set(domains[a.domain].texts) & set(domains[b.domain].texts) for a, b in pairs)

    def _chance(self, chance: k.Chance) -> None:
        self.origin(chance.origin)
        self.number(chance.empty, self.program.faults, "fault")
        self.within(chance.weight, k.Int(0, (1 << 63) - 1), "the weight")
        everyone = k.Set(len(self.program.players))
        told = chance.told is None or chance.told.type == everyone
        self.say(not told, "who is told an outcome is no set of players")
        if self.number(chance.domain, self.program.domains, "domain"):
            size = len(self.program.domains[chance.domain].texts)
            self.say(size == 0, "a chance node has no outcomes")
            if self.number(chance.local, self.program.locals, "local"):
                self.say(
                    not self.fits(k.Int(0, size - 1), self.program.locals[chance.local].type),
                    "an outcome does not fit",
                )

    def live_locals(self) -> None:
        """What may be read after a stop has to be alive there, if it may have been set before."""
        program = self.program
        wanted, given = needed(program, self.reads), perhaps_set(program)
        for number, block in enumerate(program.blocks):
            if isinstance(block.exit, Stopping):
                lost = wanted[number] & given[number] - frozenset(block.live)
                names = [program.locals[local].name for local in sorted(lost)]
                self.say(bool(lost), "stop {} forgets {}", block.name, names)

    # ---------------------------------------------------------------------------------------- claims, views

    def claims(self) -> None:
        for prop in self.program.properties:
            with self.at(f"property {prop.name}"):
                if prop.run is not None:  # all of it is of a program of its own
                    for problem in problems(prop.run.program):
                        self.say(True, problem)
                    continue
                self.origin(prop.origin)
                for expr in prop.exprs:
                    (self.truth if prop.form in CONDITIONS else self.expr)(expr)
                for block in prop.blocks:
                    self.number(block, self.program.blocks, "block")
        for example in self.program.examples:
            with self.at(f"example {example.title}"):
                self._example(example)
        for view in self.program.views:
            with self.at(f"view {view.name}"):
                self._view(view)

    def _example(self, example: k.Example) -> None:
        self.origin(example.origin)
        self.code(example.given, laps=False)
        if example.block >= 0 and self.number(example.block, self.program.blocks, "block"):
            exit = self.program.blocks[example.block].exit
            self.say(not isinstance(exit, Stopping), "block {} is no stop", example.block)
        for premise in example.premises:
            self.truth(premise.test)
        for step in example.steps:
            self.origin(step.origin)
            if step.actor is not None:
                self.number(step.actor, self.program.players, "player")
        for expected in example.expect:
            self.origin(expected.origin)
            for actor in expected.actors:
                self.number(actor, self.program.players, "player")
            self.say(
                (expected.kind == "holds") != (expected.value is not None),
                "an expectation has the wrong form",
            )
            if expected.value is not None:
                self.truth(expected.value)
            for sides in expected.sides:
                self.truth(sides.test)
                self._parts(sides.left + sides.right)

    def _view(self, view: k.View) -> None:
        for spot in view.spots:
            self.truth(spot.when)
            self.integer(spot.x)
            self.integer(spot.y)
            self.within(spot.glyph, k.Int(0, len(spot.texts) - 1), "the glyph")
        for line in view.lines:
            if line.block >= 0:
                self.number(line.block, self.program.blocks, "block")
            self.truth(line.when)
            self._parts(line.parts)
        for figure in view.figures:
            self._figure(figure)

    def _figure(self, figure: k.Figure) -> None:
        self.truth(figure.when)
        steps = [step for point in figure.points for step in ((point.x, point.y), *point.steps)]
        for number in (*(part for step in steps for part in step), *figure.size, *(figure.turn or ())):
            self.integer(number)
        self.integer(figure.count)
        for named in (figure.fill, figure.edge):
            if named is not None:
                self.within(named.index, k.Int(0, len(named.texts) - 1), "the colour")
        self._parts(figure.parts)

    def _parts(self, parts: tuple[str | tuple[k.Expr, tuple[str, ...]], ...]) -> None:
        for part in parts:
            if not isinstance(part, str):
                self.expr(part[0])
