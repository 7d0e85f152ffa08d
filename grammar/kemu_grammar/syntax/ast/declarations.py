"""Declarations: what a rules file is made of; examples and views among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kemu_grammar.source.span import Span
from kemu_grammar.syntax.ast.expressions import Call, Clause, Expr
from kemu_grammar.syntax.ast.node import Node
from kemu_grammar.syntax.ast.statements import Block
from kemu_grammar.syntax.ast.types import RangeType, Type


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
