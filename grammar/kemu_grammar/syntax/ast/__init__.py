"""The syntax tree of a rules file: frozen data, one class a construct, a span on every node.

Spans do not take part in equality, so two trees are equal when the texts mean the same.
"""

from kemu_grammar.source.span import NOWHERE as NOWHERE
from kemu_grammar.source.span import Span as Span
from kemu_grammar.syntax.ast.declarations import *  # noqa: F403
from kemu_grammar.syntax.ast.expressions import *  # noqa: F403
from kemu_grammar.syntax.ast.node import Node as Node
from kemu_grammar.syntax.ast.statements import *  # noqa: F403
from kemu_grammar.syntax.ast.types import *  # noqa: F403
