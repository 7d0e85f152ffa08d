"""Rules that run out: a warning, where nothing at all ends the game."""

from __future__ import annotations

from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import Diagnostic
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span
from kemu_grammar.syntax.walk import nodes


def unending(game: Game) -> tuple[Diagnostic, ...]:
    """Where the rules run out, in a game without an `end`."""
    declared = {d.name: d for d in game.names.values() if isinstance(d, t.Rule)}
    parts = (game.rules, *declared.values(), *game.unders)
    if not _runs_out(game.rules.body, declared, frozenset()) or any(
        isinstance(n, t.End) for n in nodes(parts)
    ):
        return ()
    last = _last(game.rules.body)
    line = last.span.end_line
    width = len(game.sources[game.file].split("\n")[line - 1])
    end = Span(game.file, line, width + 1, line, width + 1)
    margin = " " * (game.rules.body[-1].span.column - 1)
    new = "; end tie" if game.rules.body[0].span.line == game.rules.span.line else f"\n{margin}end tie"
    message = "the rules run out here, and no `end` has ended the game"
    return (Diagnostic("E0513", last.span, message, fix=(end, new)),)


def _runs_out(block: t.Block, declared: dict[str, t.Rule], met: frozenset[str]) -> bool:
    """Whether play comes to the end of a block in which no `end` is reached."""
    last = block[-1] if block else None
    match last:
        case t.For(source=t.Call(value=t.Name(id="turns"))) | t.While(test=t.Truth(value=True)):
            return any(isinstance(n, t.Break) for n in nodes(last.body))
        case t.Do(value=t.Call(value=t.Name(id=name))) if name in declared and name not in met:
            return _runs_out(declared[name].body, declared, met | {name})
        case t.Return() | t.End():
            return False
    return True


def _last(block: t.Block) -> t.Statement:
    """The statement that ends last in the text."""
    last = block[-1]
    inner: tuple[t.Block | None, ...] = ()
    match last:
        case t.If(branches=branches, other=other):
            inner = (other, branches[-1][1])
        case t.For(body=body) | t.While(body=body) | t.Repeat(body=body):
            inner = (body,)
        case t.Choose(arms=arms, other=other):
            inner = (other, arms[-1].body)
    return next((_last(each) for each in inner if each), last)
