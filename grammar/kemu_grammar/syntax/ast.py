"""The syntax tree of a rules file: frozen data, one class a construct, a span on every node.

Spans do not take part in equality, so two trees are equal when the texts mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kemu_grammar.source.span import NOWHERE as NOWHERE
from kemu_grammar.source.span import Span as Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    span: Span = field(default=NOWHERE, compare=False, repr=False)


# ---------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True)
class Truth(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    """The literal `none`."""


@dataclass(frozen=True, slots=True)
class Text(Node):
    """`"stock {stock[p]}"`: pieces of text and expressions in braces, in order (`{{` and `}}` are braces)."""

    parts: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Name(Node):
    id: str


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`p.x`"""

    value: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`stone[c]`; `ray[f, g]` has a Tuple as its index."""

    value: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`xs[a:b]`, either end may be missing."""

    value: Expr
    low: Expr | None
    high: Expr | None


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`f(a, b, key=c)`; `value` is a Name, or a Field for the methods of a value (`track.find(t)`)."""

    value: Expr
    args: tuple[Expr, ...]
    named: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Tuple(Node):
    """`(a, b)`"""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """`[a, b]`"""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SetOf(Node):
    """`{a, b}`; `{}` is a MapOf without pairs and means whichever empty collection is wanted."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class MapOf(Node):
    """`{a: x, b: y}`"""

    pairs: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """`for x in source if cond if cond`; `targets` has several names for `for a, b in ...`."""

    targets: tuple[str, ...]
    source: Expr
    conditions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`{e for ...}`, `[e for ...]`, `{k: e for ...}`, or a bare `e for ...` as the one argument of a call."""

    kind: Literal["set", "list", "map", "each"]
    element: Expr
    clauses: tuple[Clause, ...]
    key: Expr | None = None


@dataclass(frozen=True, slots=True)
class Unary(Node):
    op: Literal["-", "+", "not"]
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Arithmetic, and on sets `|` `&` `-`; `implies` is the weakest of all and takes the right-hand side
    lazily.
    """

    op: Literal["+", "-", "*", "//", "%", "**", "|", "&", "implies"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A chain, `1 <= c.x <= 3`: first operand, then (operator, operand) pairs."""

    first: Expr
    rest: tuple[tuple[Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"], Expr], ...]


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`a and b and c`, `a or b`: lazy, from the left."""

    op: Literal["and", "or"]
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Presence(Node):
    """`x is some` (some=True) or `x is none`; `x is not none` reads as `x is some`, and vice versa."""

    value: Expr
    some: bool


@dataclass(frozen=True, slots=True)
class Choice(Node):
    """`a if test else b`"""

    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class After(Node):
    """`value after rule(...)`: what a value would be if the rule had run."""

    value: Expr
    action: Expr


@dataclass(frozen=True, slots=True)
class Can(Node):
    """`can take(c) by q`: whether an action would be legal now (args None: some action of the name)."""

    name: str
    args: tuple[Expr, ...] | None
    actor: Expr | None


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`1..6`, both ends included."""

    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class Arrow(Node):
    """`x -> e`, an argument of a built-in such as `closure`."""

    params: tuple[str, ...]
    body: Expr


Expr = (
    Number | Truth | Nothing | Text | Name | Field | Index | Slice | Call | Tuple | ListOf | SetOf | MapOf
    | Comprehension | Unary | Binary | Compare | Logic | Presence | Choice | Range | Arrow
    | After | Can
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Roll(Node):
    """`roll 1..6`, `roll 2 of 1..6` (a tuple of two)."""

    faces: Expr
    count: Expr | None = None


@dataclass(frozen=True, slots=True)
class Draw(Node):
    """`draw from pile if cond`; in a condition the drawn thing is named by the statement's target (`draw t
    from pile if t != volcano`).
    """

    source: Expr
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class Reveal(Node):
    """`reveal hand[p]`, `reveal hand[p] to q`: what it is now is told to all, to a player or to several."""

    shown: Expr
    to: Expr | None = None


Event = Roll | Draw | Reveal
"""What is an event of its own on the right-hand side of an assignment."""
Value = Expr | Event
"""The right-hand side of an assignment: an expression (perhaps a rule call), or an event."""


# ---------------------------------------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """`bool`, `int` (instance time only), `text` (views only), a domain, an enum, a record, `Player`."""

    name: str


@dataclass(frozen=True, slots=True)
class RangeType(Node):
    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class OptionType(Node):
    inner: Type


@dataclass(frozen=True, slots=True)
class GenericType(Node):
    """`set[D]`, `map[D, T]`, `map[b in D, T]` (binder "b", its sizes may depend on the key),
    `map[D, T = v]` (default v, what keys have that are not given), `list[T, n]`, `bag[T]`, `bag[T, n]`,
    `tuple[T, U]`.
    """

    head: Literal["set", "map", "list", "bag", "tuple"]
    args: tuple[Type, ...]
    size: Expr | None = None
    binder: str | None = None
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class HistoryType(Node):
    """`history seen of board, mover` (state only); `variables` is empty where all are meant."""

    variables: tuple[Name, ...]


Type = NamedType | RangeType | OptionType | GenericType | HistoryType


# ---------------------------------------------------------------------------------------------- statements


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


# ---------------------------------------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration(Node):
    doc: str = field(default="", compare=False)
    cites: tuple[str, ...] = field(default=(), compare=False)  # of its doc comment and its first line


@dataclass(frozen=True, slots=True)
class Language(Declaration):
    """`language 2`: the version that the file is written for."""

    version: int


@dataclass(frozen=True, slots=True)
class Proves(Declaration):
    """`proves "heap.kemu"`: this file holds what only proofs of that game need."""

    file: str


@dataclass(frozen=True, slots=True)
class Title(Declaration):
    """`game "Three in a row"`"""

    text: str


@dataclass(frozen=True, slots=True)
class Players(Declaration):
    """`players black, white` (low = high = None: all of them) or `players 2..6: blue, yellow, ...` (the
    first n).
    """

    names: tuple[str, ...]
    low: Expr | None = None
    high: Expr | None = None


@dataclass(frozen=True, slots=True)
class Option(Declaration):
    """`option level: beginner | basic = basic`, `option card_variant: bool = false`, `option goal: 1 | 3 | 5
    = 1`, `option size: 1..9 = 3`;
    `option width: 1..9 = size` and `= 9 if small else 19` have an expression of other options for a default;
    `edition dutch | german = dutch` has the name "edition";
    `reading K2 "Ara needs": one_row | two_rows = one_row` has a text."""

    kind: Literal["option", "edition", "reading"]
    name: str
    values: tuple[str | int, ...] | RangeType | Literal["bool"]
    default: str | int | bool | Expr
    text: str = ""


@dataclass(frozen=True, slots=True)
class Needs(Declaration):
    condition: Expr


@dataclass(frozen=True, slots=True)
class Use(Declaration):
    """`use boards`: takes in the declarations of a library file."""

    module: str


@dataclass(frozen=True, slots=True)
class Instance(Declaration):
    """`instance small: players = 2; map_radius = 2`; `instance duel: like small; level = basic` has the
    settings of `small`, and then its own."""

    name: str
    settings: tuple[tuple[str, str | int | bool], ...]
    like: str = ""


@dataclass(frozen=True, slots=True)
class Domain(Declaration):
    """`domain Cell = {...}`, `domain Port = (tile: Tile, edge: Edge)` (fields: a product), `domain Tile =
    Island | Water`.
    """

    name: str
    value: Expr | None
    fields: tuple[tuple[str, Type], ...] = ()


@dataclass(frozen=True, slots=True)
class Enum(Declaration):
    """`enum Dir: n, e, s, w`"""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record(Declaration):
    """`record Course(last: Port, need: 0..4)`"""

    name: str
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Table(Declaration):
    """An enum whose members have columns: rows inline (`name  value  value`) or `from "tiles.csv"`."""

    name: str
    columns: tuple[tuple[str, Type], ...]
    rows: tuple[tuple[str, tuple[Expr, ...]], ...] = ()
    file: str | None = None
    places: tuple[Span, ...] = field(default=(), compare=False)  # of the names of rows in a file
    text: str | None = field(default=None, compare=False, repr=False)  # of the file, once it has been read


@dataclass(frozen=True, slots=True)
class Const(Declaration):
    name: str
    type: Type | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Check(Declaration):
    """An assertion at instance time."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class FunParameter(Node):
    name: str
    type: Type | None
    default: Expr | None = None
    inout: bool = False


@dataclass(frozen=True, slots=True)
class Fun(Declaration):
    """A pure function: an expression, or statements that return. `recursive`: how many calls of it there may
    be inside each other, if it may call itself during play.
    """

    name: str
    params: tuple[FunParameter, ...]
    result: Type | None
    body: Expr | Block
    recursive: Expr | None = None


@dataclass(frozen=True, slots=True)
class StateVariable(Declaration):
    """`stone: map[Cell, Player?] = ...`. `each`: declared in `each p in Player:`, (p, Player), so the
    variable is a map over that domain.
    `secret`: None = public; a Name/expression = `secret to e`; Nothing() = `hidden`. `unique` maps are
    injective and have `.find`."""

    name: str
    type: Type
    initial: Expr | None = None
    each: tuple[str, Expr] | None = None
    secret: Expr | None = None
    unique: bool = False


@dataclass(frozen=True, slots=True)
class State(Declaration):
    variables: tuple[StateVariable, ...]


@dataclass(frozen=True, slots=True)
class Rule(Declaration):
    """`rule claim(p: Player) -> bool:`"""

    name: str
    params: tuple[FunParameter, ...]
    result: Type | None
    body: Block


@dataclass(frozen=True, slots=True)
class Rules(Declaration):
    """`rules:` the flow of the game."""

    body: Block


@dataclass(frozen=True, slots=True)
class Under(Declaration):
    """`under level == professional:` replaces the definitions of the same names, and adds
    those of other names; checks, properties and examples in it hold where the condition does."""

    condition: Expr
    declarations: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class Property(Declaration):
    """`property corner_wins for p in Player if level == basic expect refuted: at place possible corner(p)`.
    `each` makes one property for every value. `form` speaks of `value`; `bound` is the number of
    `at_most`/`at_least`. Form `standard` claims nothing: `property terminates expect refuted` says what is
    expected of a question that is asked of every game, `property action_possible(leave) expect impossible`
    what is of one action. The forms `returns` (with `value` as its measure),
    `never_returns`, `can_return` are of `from any if start: run rule(args) returns`; `forgetting` names the
    functions that may be any others there."""

    name: str
    lemma: bool
    form: Literal[
        "always",
        "never",
        "everywhere",
        "initially",
        "possible",
        "always_possible",
        "at_end",
        "terminates",
        "ends_almost_surely",
        "at_most",
        "at_least",
        "maximize",
        "standard",
        "returns",
        "never_returns",
        "can_return",
    ]
    value: Expr | None
    bound: Expr | None = None
    labels: tuple[str, ...] = ()
    each: tuple[Clause, ...] = ()
    condition: Expr | None = None
    expect: str | None = None
    start: Expr | None = None
    run: Call | None = None
    forgetting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step(Node):
    """One step of a `do:` line: an action with its arguments, perhaps with its actor before it (`red throw`,
    `place((1, 3))`),
    or an outcome of chance (`2`, `roll 2`, `draw ace`: kind "chance", args holds the outcome). `ace` alone is
    read as an action."""

    kind: Literal["action", "chance"]
    name: str
    args: tuple[Expr, ...]
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class Expectation(Node):
    """`winner == black` (kind "holds"), `legal place((1, 3))`, `illegal place((6, 6))`, `legal == {place((1,
    3)), pass}` (kind "exactly"). `after`: how many steps of the example come before.
    """

    kind: Literal["holds", "legal", "illegal", "exactly"]
    value: Expr | None
    steps: tuple[Step, ...] = ()
    after: int = 0


@dataclass(frozen=True, slots=True)
class Example(Declaration):
    """A worked example: where (`at label, local = value:` and assignments that differ from the initial
    state), what is done, what is expected and when.
    """

    title: str
    condition: Expr | None
    label: str | None
    locals: tuple[tuple[str, Expr], ...]
    given: Block
    steps: tuple[Step, ...]
    expect: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True)
class Spot(Node):
    """`cell c in Cell if cond at (c.x, c.y): "x" if stone[c] == black else "."`: a glyph of at most three
    characters at a place.
    """

    clauses: tuple[Clause, ...]
    position: Expr
    glyph: Expr


@dataclass(frozen=True, slots=True)
class Line(Node):
    """`line "stones left {n}" for p in Player`, `line "check" if attacked(p)`: a line of text beside the
    picture. `line "moving {piece}" at move`: of one decision, whose names it may use."""

    text: Expr
    clauses: tuple[Clause, ...]
    condition: Expr | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Ground(Node):
    """`draw on hexes`: what the places of a view are."""

    kind: str


@dataclass(frozen=True, slots=True)
class DrawnWord(Node):
    """A word about what is drawn, with the expressions behind it: `fill p`, `out 40 towards d of 6`."""

    word: str
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Drawn(Node):
    """`draw disc c in Cell if stone[c] is some at (c.x, c.y) fill stone[c]: "text"`. `conditions`: of what
    goes through nothing, `draw disc if ball is some at ball`."""

    shape: str
    clauses: tuple[Clause, ...]
    conditions: tuple[Expr, ...]
    words: tuple[DrawnWord, ...]
    text: Expr | None


@dataclass(frozen=True, slots=True)
class View(Declaration):
    name: str
    items: tuple[Spot | Line | Ground | Drawn, ...]


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A rules file. `citations`: for every line that ends in a comment with marks like `[C1]`, the marks."""

    file: str
    text: str = field(repr=False)
    declarations: tuple[Declaration, ...] = ()
    citations: dict[int, tuple[str, ...]] = field(default_factory=dict, compare=False)
