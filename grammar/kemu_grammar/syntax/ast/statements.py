"""Statements, and the arms of a choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_grammar.syntax.ast.expressions import Clause, Expr, Name, Number, Truth, Unary, Value
from kemu_grammar.syntax.ast.node import Node
from kemu_grammar.syntax.ast.types import Type


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`x = v`, `x: 0..4 = v` (declares), `board[p][w] += v`. The target is a Name, Index or Field chain."""

    target: Expr
    op: Literal["=", "+=", "-=", "|=", "&="]
    value: Value
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class Deal(Node):
    """`draw 5 from deck to hand[p]`: so many draws, one after another, each put into a zone."""

    number: Expr
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class Again(Node):
    """`again`: the turn of the same player begins anew."""


@dataclass(frozen=True, slots=True)
class Do(Node):
    """A rule call (or a bare `draw`/`roll`) standing alone."""

    value: Value


@dataclass(frozen=True, slots=True)
class If(Node):
    """`if`/`elif` branches in order, then `else`."""

    branches: tuple[tuple[Expr, Block], ...]
    other: Block


@dataclass(frozen=True, slots=True)
class For(Node):
    """`for p in turns(from=q) if cond:`, `for f in S in order of q:`. The source is frozen on entry;
    conditions are tested as each turn comes.
    """

    targets: tuple[str, ...]
    source: Expr
    conditions: tuple[Expr, ...]
    body: Block
    order: Expr | None = None


@dataclass(frozen=True, slots=True)
class While(Node):
    test: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """`repeat at most n:` until a break, return or end; a further lap is a fault."""

    bound: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class Path(Node):
    """`path b in jumps(at) if cond at most 9, may stop:` in an arm: a loop whose laps are chosen in advance,
    as parts of the one action. It goes on while there is something to go on to; `stops`: or to anywhere
    behind its first part.
    """

    name: str
    source: Expr
    conditions: tuple[Expr, ...]
    bound: Expr
    stops: bool
    body: Block


@dataclass(frozen=True, slots=True)
class Break(Node):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Node):
    pass


@dataclass(frozen=True, slots=True)
class Pass(Node):
    pass


@dataclass(frozen=True, slots=True)
class Return(Node):
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Move(Node):
    """`move x from a to b`; `move all from a to b` (what=None); `move all x from a to b` (all=True). `to box`
    = out of the game.
    """

    what: Expr | None
    all: bool
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class End(Node):
    """`end win(p)`, `end tie`, `end rank((score, shells))` (functions of a player, or tuples over `p`), `end
    pays({...})`.
    """

    kind: Literal["win", "tie", "rank", "pays"]
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Require(Node):
    """`require cond`: the action that led here is legal only if cond holds. `most`: `require most n`, only if
    n is as large as with any other action of its name.
    """

    condition: Expr
    most: bool = False


@dataclass(frozen=True, slots=True)
class Assert(Node):
    """`assert tonga_no_four: cond`: whenever play passes here, cond holds."""

    name: str
    condition: Expr


@dataclass(frozen=True, slots=True)
class Note(Node):
    """`note seen`: the present values of the variables of the history join it."""

    history: Name


@dataclass(frozen=True, slots=True)
class Forget(Node):
    """`forget seen`: the history is empty again."""

    history: Name


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """An arm's parameter, `c in Cell`."""

    name: str
    source: Expr


@dataclass(frozen=True, slots=True)
class Arm(Node):
    """`take(d in Depth, w in sites(p)) if cost(d) <= 3:` and its block; body=None for the one-action form
    `choose place(c in Cell) if free(c)`.
    """

    name: str
    params: tuple[Parameter, ...]
    condition: Expr | None
    body: Block | None


@dataclass(frozen=True, slots=True)
class Choose(Node):
    """A decision. `actor` None: the variable of the enclosing `turns`. `optional`: `may choose`, adds the
    action `pass`. `other`: the `else:` block when nothing is legal. `together`: `choose together for p in
    Player if cond:`, all of them, each without knowing of the others; the actor is its variable.
    `sealed`: the others are not told what is chosen.
    """

    actor: Expr | None
    arms: tuple[Arm, ...]
    optional: bool = False
    other: Block | None = None
    together: Clause | None = None
    sealed: bool = False


Statement = (
    Assign | Do | If | For | While | Repeat | Path | Break | Continue | Pass | Return | Move | End | Require
    | Assert | Note | Forget | Choose | Deal | Again
)  # fmt: skip
Block = tuple[Statement, ...]


def plain_value(value: Expr) -> str | int | bool | None:
    """What an option can be set to: a word, a number, a truth value; None for any other expression."""
    match value:
        case Name(id=word):
            return word
        case Number(value=number):
            return number
        case Unary(op="-", operand=Number(value=number)):
            return -number
        case Truth(value=truth):
            return truth
    return None
