"""Which histories an instance needs: those that its rules note somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import children, names_in

from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault

Names = frozenset[str]


def noted(flow: Sequence[t.Block | t.Rule], evaluator: Evaluator) -> frozenset[str]:
    """The names of the histories that are noted somewhere, but for where a condition on what is known before
    play does not hold in this instance."""
    return frozenset(_noting(tuple(flow), evaluator, frozenset(_bound(tuple(flow)))))


def _noting(node: object, evaluator: Evaluator, bound: Names) -> Iterator[str]:
    """The same of a part; `bound`: the names that may mean something else there than before play."""
    if isinstance(node, t.Note):
        yield node.history.id
    elif isinstance(node, t.If):
        for test, body in node.branches:
            known = None if names_in(test) & bound else _known(test, evaluator)
            if known is not False:
                yield from _noting(body, evaluator, bound)
            if known is True:
                return
        yield from _noting(node.other, evaluator, bound)
    else:
        for child in children(node):
            yield from _noting(child, evaluator, bound)


def _bound(node: object) -> Iterator[str]:
    """The names that loops, parameters and declarations give a value."""
    match node:
        case t.For(targets=names) | t.Clause(targets=names):
            yield from names
        case t.Path(name=name):
            yield name
        case t.Parameter(name=name) | t.FunParameter(name=name):
            yield name
        case t.Assign(target=t.Name(id=name), type=kind) if kind is not None:
            yield name
    for child in children(node):
        yield from _bound(child)


def _known(test: t.Expr, evaluator: Evaluator) -> bool | None:
    """What an `if` tests, if it asks for options alone."""
    if not isinstance(test, t.Name | t.Compare | t.Logic | t.Unary):
        return None
    try:
        return evaluator.truth(test, {})
    except (RulesError, StaticFault):
        return None
