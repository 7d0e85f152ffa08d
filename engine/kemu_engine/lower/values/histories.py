"""Which histories an instance needs: those that its rules note somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import children

from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault


def noting(node: object, evaluator: Evaluator) -> Iterator[str]:
    """The names of the histories that are noted in statements, but for those under a condition that does not
    hold in this instance."""
    if isinstance(node, t.Note):
        yield node.history.id
    elif isinstance(node, t.If):
        for test, body in node.branches:
            known = _known(test, evaluator)
            if known is not False:
                yield from noting(body, evaluator)
            if known is True:
                return
        yield from noting(node.other, evaluator)
    else:
        for child in children(node):
            yield from noting(child, evaluator)


def _known(test: t.Expr, evaluator: Evaluator) -> bool | None:
    """What an `if` tests, if it asks for options alone."""
    if not isinstance(test, t.Name | t.Compare | t.Logic | t.Unary):
        return None
    try:
        return evaluator.truth(test, {})
    except (RulesError, StaticFault):
        return None
