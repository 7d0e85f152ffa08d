"""The operators about turns and results.

begins         another player begins: `turns(from=q)`, `turns()`; `for p in Player` the other way round
asked          another player decides: `by q`, or `by other(p)` where nobody is named; `in order of q`
winner         another player wins: `end win(q)`; a key of a ranking dropped, or two exchanged
inverted       less is better in a ranking, or by what is paid; in one key of several
tie            `end tie` for a win, a ranking or a payment, and a win for a tie

Where a player stands by name, player_changes.py changes him; here are the places where none does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import nodes

from kemu_verifier.mutate.places import Change, Here, Names
from kemu_verifier.mutate.player_changes import another


def turn_changes(node: t.Node, names: Names, here: Here) -> Iterator[Change]:
    """Who begins, and who is asked."""
    match node:
        case t.For(source=t.Call(t.Name("turns"), (), ()) as source) if len(names.players) > 1:
            begun = replace(source, named=(("from", t.Name(names.players[1])),))
            yield "begins", replace(node, source=begun)
        case t.For(source=t.Call(t.Name("turns"), (), ((word, first),)) as source):
            if other := another(first, names, here):
                yield "begins", replace(node, source=replace(source, named=((word, other),)))
        case t.For(source=t.Name("Player"), body=body) if _acts(body):
            yield "begins", replace(node, source=t.Call(t.Name("reversed"), (node.source,)))
        case t.For(order=t.Node() as who) if other := another(who, names, here):
            yield "asked", replace(node, order=other)
        case t.Choose(actor=None, together=None) if here.mover:
            yield "asked", replace(node, actor=names.next(t.Name(here.mover)))
        case t.Choose(actor=t.Node() as who) if other := another(who, names, here):
            yield "asked", replace(node, actor=other)


def _acts(body: t.Block) -> bool:
    """Whether somebody decides in a loop, or a rule is run in it: that may depend on its order."""
    return any(isinstance(inner, t.Choose | t.Do) for one in body for inner in nodes(one))


def result_changes(node: t.Node, names: Names, here: Here) -> Iterator[Change]:
    """Who wins."""
    match node:
        case t.End("tie"):
            yield "tie", replace(node, kind="win", value=t.Name(here.mover or names.players[0]))
        case t.End("win", t.Node() as who):
            if other := another(who, names, here):
                yield "winner", replace(node, value=other)
            yield "tie", replace(node, kind="tie", value=None)
        case t.End("rank" | "pays", t.Node() as value):
            for keys in _other_order(value):
                yield "winner", replace(node, value=keys)
            for keys in _inverted(value, names, here):
                yield "inverted", replace(node, value=keys)
            yield "tie", replace(node, kind="tie", value=None)


def _other_order(value: t.Expr) -> Iterator[t.Expr]:
    """A ranking with one of its keys dropped, or with two neighbours exchanged."""
    keys = _keys(value)
    for at in range(len(keys) if len(keys) > 1 else 0):
        yield _with_keys(value, keys[:at] + keys[at + 1 :])
    for at in range(len(keys) - 1):
        yield _with_keys(value, (*keys[:at], keys[at + 1], keys[at], *keys[at + 2 :]))


def _inverted(value: t.Expr, names: Names, here: Here) -> Iterator[t.Expr]:
    """A ranking or a payment by which less is better, in one of the keys."""
    if isinstance(value, t.MapOf):
        yield t.MapOf(tuple((player, _negative(each)) for player, each in value.pairs))
        return
    if not isinstance(value, t.Comprehension):
        value = _for_each_player(_keys(value), names, here)
    keys = _keys(value)
    for at, key in enumerate(keys):
        yield _with_keys(value, (*keys[:at], _negative(key), *keys[at + 1 :]))


def _for_each_player(keys: tuple[t.Expr, ...], names: Names, here: Here) -> t.Comprehension:
    """A ranking by functions and maps of a player, as a map with an expression for each player."""
    name = next(each for each in ("p", "q", "who", "this_player") if each not in here.bound | names.taken)
    player = t.Name(name)
    values = tuple(
        t.Call(key, (player,))
        if isinstance(key, t.Name) and key.id in names.functions
        else t.Index(key, player)
        for key in keys
    )
    return t.Comprehension("map", _joined(values), (t.Clause((name,), t.Name("Player"), ()),), player)


def _keys(value: t.Expr) -> tuple[t.Expr, ...]:
    """What a ranking goes by, one after the other."""
    match value:
        case t.Comprehension(element=element):
            return _keys(element)
        case t.Tuple(items):
            return items
    return (value,)


def _with_keys(value: t.Expr, keys: tuple[t.Expr, ...]) -> t.Expr:
    return replace(value, element=_joined(keys)) if isinstance(value, t.Comprehension) else _joined(keys)


def _joined(keys: tuple[t.Expr, ...]) -> t.Expr:
    return keys[0] if len(keys) == 1 else t.Tuple(keys)


def _negative(value: t.Expr) -> t.Expr:
    match value:
        case t.Unary("-", operand):
            return operand
        case t.Tuple(items):
            return t.Tuple(tuple(_negative(each) for each in items))
        case t.Number(number):
            return t.Unary("-", value) if number else value
    return t.Unary("-", value)
