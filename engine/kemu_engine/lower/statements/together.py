"""Lowers `choose together`: one decision after another, each kept from the other players; then the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import called
from kemu_engine.lower.statements.flow import FlowLowering, Opening
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.reps import Const, Rep
from kemu_engine.static.types import ElementType, MapType, OptionOf
from kemu_engine.static.values import Value, text_of

PASS, NOTHING = "pass", "nothing"  # what a player may have chosen besides the actions
FIRST = "others have chosen before: begin with the first who chooses, and say in `do:` what they choose"


@dataclass(frozen=True, slots=True)
class Way:
    """What a player may choose: where that leads, the block for it, and the variables that keep its
    parameters until all have chosen.
    """

    name: str
    target: int
    body: t.Block
    scope: Env
    kept: tuple[tuple[k.Local, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """Players one after another: `at` is on turn, of `who`; `rest` are still to come."""

    at: k.Local
    rest: k.Local
    who: k.Expr


class TogetherLowering:
    def __init__(self, control: FlowLowering) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.builder = control.builder
        self.players: tuple[Value, ...] = tuple(control.evaluator.known["Player"].elements)

    def choose(self, s: t.Choose, scope: Scope) -> None:
        round_, inner = self._round(s, scope)
        with self.statements.into() as on_turn:
            arms, ways, never = self._ways(s, inner)
        chosen = self._variable("choice", [way.name for way in ways], s.span) if len(ways) > 1 else -1
        kept = [*([] if chosen < 0 else [chosen]), *(var for way in ways for _, var in way.kept)]
        self.statements.out += map(self._emptying, kept)
        done = self.control.new()
        asked = self._begin(round_, done)
        self.statements.out += on_turn
        self._decide(s, round_, inner, arms, ways, kept)
        for target in never:
            self.control.start(target)
            self.control.finish(k.Fail(self._stuck(s)))
        for number, way in enumerate(ways):
            self.control.start(way.target)
            for local, var in way.kept:
                self._put(var, round_, local)
            if chosen >= 0:
                self._put(chosen, round_, build.integer(number))
            self.control.finish(k.Goto(asked))
        self.control.start(done)
        stops = any(self.control.analysis.stops(way.body) for way in ways)
        if stops:
            opened = self._opened(kept, s.span)
            chosen, ways = opened.get(chosen, -1), [_openly(way, opened) for way in ways]
        if ways:
            self._blocks(round_, ways, chosen, stops)

    # ------------------------------------------------------------------------------------------ the players

    def _round(self, s: t.Choose, scope: Scope) -> tuple[Round, Env]:
        """Who chooses, worked out before anybody does; the names at the decision."""
        assert s.together is not None
        (name,) = s.together.targets
        size, texts = len(self.players), tuple(map(text_of, self.players))
        frame = self.statements.frame
        binder = self.builder.local(name, k.Int(0, size - 1))
        test = build.both(
            *(self.expressions.truth(x, {**scope, name: self._player(binder)}) for x in chooses(s.together))
        )
        who: k.Expr = build.full(size)
        if test != build.TRUE:
            found = build.fold("set", binder.id, who, test, binder, size)
            who = self.builder.local(f"{frame}.who", k.Set(size), texts)
            self.statements.out.append(k.Assign(who.id, found))
            self.control.presume(who, found)
        at = self.builder.local(f"{frame}.{name}", k.Int(0, size - 1), texts)
        rest = self.builder.local(f"{frame}.rest of {name}", k.Set(size), texts)
        self.control.presume(rest, build.fold("set", binder.id, who, build.lt(at, binder), binder, size))
        return Round(at, rest, who), {**scope, name: self._player(at)}

    def _player(self, at: k.Local) -> Rep:
        several = len(self.players) > 1
        return self.control.coercions.family(at, self.players) if several else Const(self.players[0])

    def _begin(self, round_: Round, leave: int) -> int:
        """Begins a lap for each of them; gives the block of the next one's."""
        head, size = self.control.new(), len(self.players)
        self.statements.out.append(k.Assign(round_.rest.id, round_.who))
        self.control.finish(k.Goto(head))
        self.control.start(head)
        first = self.control.new()
        self.control.finish(k.Split(build.ne(build.card(round_.rest), build.integer(0)), first, leave))
        self.control.start(first)
        binder = self.builder.local("element", k.Int(0, size - 1))
        found = build.fold("first", binder.id, round_.rest, build.TRUE, build.TRUE)
        self.statements.out.append(k.Assign(round_.at.id, build.clamped(found, 0, size - 1)))
        others = build.set_op("diff", round_.rest, build.single(round_.at, size))
        self.statements.out.append(k.Assign(round_.rest.id, others))
        return head

    # ------------------------------------------------------------------------------------------ choosing

    def _ways(self, s: t.Choose, inner: Env) -> tuple[list[k.Arm], list[Way], list[int]]:
        """The arms of the decision, what becomes of each, and the targets of those that are never legal."""
        arms: list[k.Arm] = []
        ways: list[Way] = []
        never: list[int] = []
        for arm in s.arms:
            target, scope = self.control.new(), dict(inner)
            assert arm.body is not None
            made = self.control.choices.arm(arm, scope, target, arm.body)
            if made is None:
                continue
            arms.append(made)
            if made.legal == build.FALSE:
                never.append(target)
                continue
            locals_ = [k.Local(self.builder.locals[p.local].type, p.local) for p in made.params]
            names = [f"{arm.name}.{p.name}" for p in made.params]
            kept = tuple((x, self._kept(name, x, arm.span)) for name, x in zip(names, locals_, strict=True))
            ways.append(Way(arm.name, target, arm.body, scope, kept))
        if s.optional:
            target = self.control.new()
            arms.append(k.Arm(PASS, (), build.TRUE, build.TRUE, target, self.builder.origin(s.span)))
            ways.append(Way(PASS, target, (), inner))
        if s.other is not None:
            ways.append(Way(NOTHING, self.control.new(), s.other, inner))
        return arms, ways, never

    def _kept(self, name: str, local: k.Local, span: t.Span) -> int:
        """The variable that keeps a parameter, for each player; a `none` that was chosen is told apart."""
        texts = ["`none`" if text == "none" else text for text in self.builder.locals[local.id].texts]
        return self._variable(name, texts, span)

    def _variable(self, name: str, texts: Sequence[str], span: t.Span, seen: bool = False) -> int:
        """A variable of one text for each player, none so far; only that player sees it, unless all do."""
        masks = None if seen else tuple(1 << seat for seat in range(len(self.players)))
        kind = MapType(self.players, OptionOf(ElementType(name, tuple(texts))))
        layout, start = self.statements.layout, len(self.builder.vars)
        layout.allocate(f"{self.statements.frame}.{name}", kind, span, masks, local=True)
        return start

    def _decide(
        self, s: t.Choose, round_: Round, inner: Env, arms: list[k.Arm], ways: list[Way], kept: list[int]
    ) -> None:
        names = [arm.name for arm in s.arms]
        other = ways[-1].target if s.other is not None else -1
        actor: k.Expr = round_.at if len(self.players) > 1 else build.integer(0)
        label = called(arm.name for arm in arms if arm.name != PASS)
        origin = self.builder.origin(s.span)
        decide = k.Decide(label, actor, tuple(arms), other, self._stuck(s), origin, "together")
        block = self.control.stop(label, decide)
        self.control.decision(names, block, inner)
        earlier = self.builder.local("element", k.Int(0, len(self.players) - 1))
        before = build.fold("any", earlier.id, round_.who, build.TRUE, build.lt(earlier, round_.at))
        self.control.openings[block] = Opening(tuple(map(self._emptying, kept)), build.no(before), FIRST)

    def _stuck(self, s: t.Choose) -> int:
        return self.builder.fault("stuck", "nothing is legal here, and no `else:` says what then", s.span)

    # ------------------------------------------------------------------------------------------ what is kept

    def _emptying(self, var: int) -> k.Stmt:
        binder = self.builder.local("at", k.Int(0, len(self.players) - 1))
        return k.Fill(var, binder.id, build.integer(-1))

    def _put(self, var: int, round_: Round, value: k.Expr) -> None:
        self.statements.out.append(k.Put(var, round_.at, value))

    def _read(self, var: int, at: k.Local) -> k.Expr:
        return k.At(self.builder.vars[var].type, var, at)

    def _opened(self, kept: list[int], span: t.Span) -> dict[int, int]:
        """What was kept, in variables that everyone sees: the blocks may stop, and play goes on openly."""
        opened: dict[int, int] = {}
        for var in kept:
            _, _, name = self.builder.vars[var].name.partition(".")
            opened[var] = self._variable(f"{name} opened", self.builder.vars[var].texts[1:], span, seen=True)
            binder = self.builder.local("at", k.Int(0, len(self.players) - 1))
            self.statements.out.append(k.Fill(opened[var], binder.id, self._read(var, binder)))
        return opened

    # ------------------------------------------------------------------------------------------ the blocks

    def _blocks(self, round_: Round, ways: list[Way], chosen: int, opened: bool) -> None:
        leave = self.control.new()
        head = self._begin(round_, leave)
        for number, way in enumerate(ways):
            if chosen >= 0 and number < len(ways) - 1:
                this, others = self.control.new(), self.control.new()
                test = build.eq(self._read(chosen, round_.at), build.integer(number))
                self.control.finish(k.Split(test, this, others))
                self.control.start(this)
            for local, var in way.kept:
                low, high = build.interval(local)
                value = build.clamped(self._read(var, round_.at), low, high)
                self.statements.out.append(k.Assign(local.id, value))
            if opened:  # play may stop in the block: what is done is forgotten
                for var in [*([chosen] if chosen >= 0 else []), *(var for _, var in way.kept)]:
                    self._put(var, round_, build.integer(-1))
            self.control.loop(head, leave, way.body, dict(way.scope))
            if chosen >= 0 and number < len(ways) - 1:
                self.control.start(others)
        self.control.start(leave)


def chooses(clause: t.Clause) -> tuple[t.Expr, ...]:
    """Whether the player of this name is among those who choose."""
    name = t.Name(clause.targets[0], span=clause.span)
    return t.Compare(name, (("in", clause.source),), span=clause.source.span), *clause.conditions


def _openly(way: Way, opened: dict[int, int]) -> Way:
    return replace(way, kept=tuple((local, opened[var]) for local, var in way.kept))
