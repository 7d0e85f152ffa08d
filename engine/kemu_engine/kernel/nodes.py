"""The kernel: the small language in which a game's meaning is written. docs/kernel.md is its one page.

Here are programs: state, names, claims, examples, views; and, so that `nodes as k` has all that there is, the
code of which they are made (code.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kemu_grammar.source.span import Span

from kemu_engine.kernel.code import *  # noqa: F403
from kemu_engine.kernel.code import Block, Code, Expr, Type
from kemu_engine.kernel.snapshots import Snapshots


@dataclass(frozen=True, slots=True)
class Var:
    """A state variable: a scalar (length None; histories are such) or an array. `seen`: None = seen by all,
    else for every element the mask of the players who see it.
    """

    name: str
    type: Type
    length: int | None
    initial: int | tuple[int, ...] | Snapshots
    labels: tuple[str, ...] = ()  # of the elements of an array: "(3, 1)", "black, (3, 1)"
    texts: tuple[str, ...] = ()
    """Of the values low..high of an Int that stands for an element ("none", ...); of 0..size-1 of a Set."""
    seen: tuple[int, ...] | None = None
    local: bool = False
    """A list, bag or map of a rule: here because locals are single values; empty where it is not needed."""


@dataclass(frozen=True, slots=True)
class LocalInfo:
    name: str
    type: Type
    texts: tuple[str, ...] = ()
    secret: bool = False  # it may hold what not everyone knows (kernel/information_flow.py)


@dataclass(frozen=True, slots=True)
class Table:
    """Static data. `values`: ints, bools or masks."""

    name: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """How values are written in actions, outcomes and traces."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    params: tuple[int, ...]  # locals
    type: Type
    body: Code
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something comes from: the span in the rules file, and the rulebook statements cited there."""

    span: Span
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong: a code ("out_of_range", "missing_value", "stuck", "overfull", "empty_draw", "overrun",
    "empty_min", "bad_index", "assertion"), in words, and where. `name`: of the assertion that does not hold.
    """

    code: str
    message: str
    origin: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A rule by itself: a program whose `entry` goes to a chance node, its one outcome the call, and that
    ends where the rule has returned. The outcome has a weight in the states from which the rule is run; the
    initial values of the program's variables mean nothing, but for those of rules and of the result.
    `guards`: that a state is of its types, and then the conjuncts of the condition. `forgotten`: the
    functions that are variables here; `real`: the same run, nothing forgotten.
    """

    program: Program
    guards: tuple[Expr, ...]
    forgotten: tuple[str, ...] = ()
    real: Run | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """A claim.

    `exprs`: the expression (one), or the components of a measure, lexicographic. `blocks`: the decisions of
    `at LABEL` (empty: as the form says); of `initially` the first is where it is claimed, and only the first
    visit of any of them counts. A property written `for p in Player` yields one for each value, told
    apart in `name` ("wins(white)").
    """

    name: str
    form: str  # as Property.form of the syntax tree
    exprs: tuple[Expr, ...]
    bound: int | None
    blocks: tuple[int, ...]
    expect: str | None
    lemma: bool
    origin: int
    run: Run | None = None  # of `returns`, `never_returns`, `can_return`


@dataclass(frozen=True, slots=True)
class Step:
    """`text`: an action ("place((1, 3))") or an outcome's text. `actor`: index of a player if the example
    names one.
    """

    kind: Literal["action", "chance"]
    text: str
    actor: int | None
    origin: int


@dataclass(frozen=True, slots=True)
class Sides:
    """A comparison, and its two sides written as the parts of a Line are."""

    test: Expr
    left: tuple[str | tuple[Expr, tuple[str, ...]], ...]
    right: tuple[str | tuple[Expr, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """`sides`: the comparisons of which `value` is made, all of which have to hold; so that what is the case
    instead can be told. `actors`: the players who are named before the texts. `after`: how many of the
    example's steps come before.
    """

    kind: Literal["holds", "legal", "illegal", "exactly"]
    value: Expr | None
    texts: tuple[str, ...]
    origin: int
    sides: tuple[Sides, ...] = ()
    actors: tuple[int, ...] = ()
    after: int = 0


@dataclass(frozen=True, slots=True)
class Premise:
    """What holds in every play at the stop where an example begins, and what to say if it does not there."""

    test: Expr
    message: str


@dataclass(frozen=True, slots=True)
class Example:
    """Starts at the initial state, or at the stop `block` (>= 0), with `given` run on the initial values of
    the state variables; then the premises have to hold.
    """

    title: str
    block: int
    given: Code  # may assign the live locals of `block`
    steps: tuple[Step, ...]
    expect: tuple[Expectation, ...]
    origin: int
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A glyph in a view: `texts[glyph]` at column x, row y, if `when`. `element`: the text of the domain
    element it shows; `domain`: the name of that domain, if it has one.
    """

    element: str
    when: Expr
    x: Expr
    y: Expr
    glyph: Expr
    texts: tuple[str, ...]
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Text beside the picture: pieces of text, and values written by their texts (or as plain integers if
    there are none; offset: the Int's low). `block`: the only stop at which it is shown, -1 for every stop.
    """

    when: Expr
    parts: tuple[str | tuple[Expr, tuple[str, ...]], ...]
    block: int = -1
    origin: int = -1


Piece = str | tuple[Expr, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Named:
    """One of some names: `texts[index]`."""

    index: Expr
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A place, and steps away from it, in hundredths of the distance of two places: (right, down), or (how
    far, in direction i, of n that go round clockwise from above)."""

    x: Expr
    y: Expr
    steps: tuple[tuple[Expr, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that is drawn in a view, if `when`. `fill` and `edge`: a colour, or that of a player,
    `@white`. `size`: none, one or two numbers, in hundredths. `turn`: i of n directions. `laid`: "row",
    "heap", "stack" or "", of `count` equal things. `parts`: what is written on it, as in a Line; of a symbol
    its name. `owner`: for which player the element is drawn here, if elsewhere for another."""

    shape: str
    element: str
    domain: str
    when: Expr
    points: tuple[Point, ...]
    fill: Named | None
    edge: Named | None
    size: tuple[Expr, ...]
    turn: tuple[Expr, Expr] | None
    laid: str
    count: Expr
    parts: tuple[Piece, ...]
    owner: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """`ground`: what the places are: "squares", "hexes", "" if nothing is said."""

    name: str
    spots: tuple[Spot, ...]
    lines: tuple[Line, ...]
    figures: tuple[Figure, ...] = ()
    ground: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """An instance of a game: the meaning that every reader shares."""

    game: str  # title
    settings: tuple[tuple[str, str], ...]  # options, edition, readings, in order of declaration: name, value
    players: tuple[str, ...]
    vars: tuple[Var, ...]
    locals: tuple[LocalInfo, ...]
    tables: tuple[Table, ...]
    domains: tuple[Domain, ...]
    functions: tuple[Function, ...]
    faults: tuple[Fault, ...]
    origins: tuple[Origin, ...]
    blocks: tuple[Block, ...]
    entry: int  # the block where a game begins
    result: int  # the variable that holds len(players) * width keys, player by player; set just before an End
    width: int  # keys a player; compared as tuples, higher is better, equal is shared
    properties: tuple[Property, ...] = ()
    examples: tuple[Example, ...] = ()
    views: tuple[View, ...] = ()
    sources: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
