"""Lowers `reveal`: a stop at which one thing can come, what a value is now; of a collection one thing after
the other."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import REVEAL
from kemu_engine.lower.statements.events import EventLowering
from kemu_engine.lower.values.context import Scope
from kemu_engine.lower.values.finite import key_of
from kemu_engine.lower.values.infer_local import infer
from kemu_engine.lower.values.layout import is_scalar
from kemu_engine.lower.values.reps import Bag, Const, FiniteValue, Map, Rep, SetOf, Tup
from kemu_engine.lower.values.reps import Seq as SeqOf
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import BagType, ListType, OptionOf, SetType
from kemu_engine.static.values import Seq, text_of

REST, SHOWN = "rest of what is shown", "what is shown"
LAP, NEXT = "lap of what is shown", "next that is shown"


class RevealLowering:
    def __init__(self, events: EventLowering) -> None:
        self.events = events
        self.control = events.control
        self.statements = events.statements
        self.expressions = events.expressions
        self.builder = events.builder

    def reveal(self, reveal: t.Reveal, s: t.Assign | None, scope: Scope) -> Rep:
        """The value as it was told."""
        return self._revealed(self.expressions.lower(reveal.shown, scope), reveal, s, scope)

    def _revealed(self, rep: Rep, reveal: t.Reveal, s: t.Assign | None, scope: Scope) -> Rep:
        fam = self.control.coercions.as_finite(rep)
        if fam is not None:
            return self._one(fam, reveal, s, scope)
        match rep:
            case Tup(items=items):
                parts = tuple(self._revealed(item, reveal, s, scope) for item in items)
                return Tup(parts, rep.fields, rep.seq)
            case SetOf() | Bag() | SeqOf():
                return self._things(rep, reveal, scope)
            case Map(keys=keys, get=get):
                shown = self.statements.new_local(
                    SHOWN, infer(self.control.evaluator.known, rep, SHOWN, reveal.span), reveal.span
                )
                assert isinstance(shown, Map)
                for at in range(len(keys)):
                    item = self.expressions.read(get(build.integer(at)))
                    told = self._revealed(item, reveal, s, scope)
                    self.statements.storing.store(shown.get(build.integer(at)), told, reveal.span)
                return self.expressions.read(shown)
        refuse("E0783", reveal.span, "what is revealed is a value of the game, or a collection of such")

    def _one(self, fam: FiniteValue, reveal: t.Reveal, s: t.Assign | None, scope: Scope) -> Rep:
        values = tuple({key_of(value): value for value in fam.values}.values())
        texts, index = tuple(map(text_of, values)), self.control.coercions.remap(fam, values)
        if len(set(texts)) < len(texts):
            refuse("E0783", reveal.span, "what is revealed cannot be told apart by its text")
        told = None if reveal.to is None else self._told(reveal.to, scope)
        low, high, frame = 0, len(texts) - 1, self.statements.frame
        shown = self.builder.local(f"{frame}.shown", k.Int(low, high), texts)
        self.statements.out.append(k.Assign(shown.id, build.clamped(index, low, high)))
        local = self.builder.local(f"{frame}.reveal", k.Int(low, high), texts)
        weight = build.when(build.eq(local, shown), build.integer(1), build.integer(0))
        stop = self.events.chance(REVEAL, local, weight, texts, reveal.span, told)
        self.events.label(stop, REVEAL, s, scope)
        return self.control.coercions.family(local, values)

    def _things(self, rep: SetOf | Bag | SeqOf, reveal: t.Reveal, scope: Scope) -> Rep:
        """What a set, bag or list holds, thing by thing: to all until there is none left, which is told as
        `none`; to some as often as there may be things, so that nobody else learns how many there are."""
        span = reveal.span
        kind = infer(self.control.evaluator.known, rep, SHOWN, span)
        assert isinstance(kind, SetType | BagType | ListType)
        simple = is_scalar(kind.inner) if isinstance(kind, ListType) else None not in kind.values
        if not simple or (isinstance(kind, ListType) and isinstance(kind.inner, OptionOf | SetType)):
            refuse("E0783", span, "what lies in there may be `none` or several: it is not told one by one")
        most = len(kind.values) if isinstance(kind, SetType) else kind.size
        rest, shown = (self.statements.new_local(name, kind, span) for name in (REST, SHOWN))
        self.statements.storing.store(rest, rep, span)
        self.statements.storing.store(shown, Const(Seq(())), span)
        inner = {**scope, REST: rest, SHOWN: shown}
        left, one = t.Name(REST, span=span), t.Name(NEXT, span=span)
        first = t.Call(t.Name("first", span=span), (left,), span=span)
        some = t.Compare(
            t.Call(t.Name("len", span=span), (left,), span=span), ((">", t.Number(0, span=span)),), span=span
        )
        thing = t.Choice(some, first, t.Nothing(span=span), span=span)
        move = t.Move(one, False, left, t.Name(SHOWN, span=span), span=span)
        over: t.Block = () if reveal.to is not None else (t.Break(span=span),)
        body: t.Block = (
            t.Assign(one, "=", t.Reveal(thing, reveal.to, span=span), span=span),
            t.If(((t.Presence(one, True, span=span), (move,)),), over, span=span),
        )
        laps = t.Range(t.Number(1, span=span), t.Number(most, span=span), span=span)
        self.control.block((t.For((LAP,), laps, (), body, span=span),), inner)
        return self.expressions.read(shown)

    def _told(self, e: t.Expr, scope: Scope) -> k.Expr:
        """A player, or several, as a set that is worked out now."""
        players, rep = self.events.players, self.expressions.lower(e, scope)
        one = self.control.coercions.as_finite(rep)
        if one is None or isinstance(one.values[0], frozenset | Seq):
            made = self.control.coercions.set(rep, e.span, players).expr
        else:
            made = build.single(self.expressions.key(rep, players, e.span), len(players))
        if isinstance(made, k.Const):
            return made
        told = self.builder.local(f"{self.statements.frame}.told", made.type, tuple(map(text_of, players)))
        self.statements.out.append(k.Assign(told.id, made))
        return told
