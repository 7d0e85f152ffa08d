"""The kernel: the small language in which a game's meaning is written. docs/kernel.md is its one page.

Three kinds of value: truth (`bool`), integers with a known interval (`int`), and sets over 0..n-1 (an `int`
whose bit i says
whether i is in it). Everything of the surface language (domains, options, maps, bags, lists, records) is laid
out in these:
an element of a domain is its index, `none` is -1, a map is an array, a bag an array of counts, a list a
length and an array.
Control is a graph of blocks that stop at a decision, at a chance node, at an end, or in a fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kemu_grammar.source.span import Span

# ---------------------------------------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class Bool:
    pass


@dataclass(frozen=True, slots=True)
class Int:
    """Integers low..high, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Set:
    """Subsets of 0..size-1, as bit masks."""

    size: int


Type = Bool | Int | Set
BOOL = Bool()

# ------------------------------------------------------------------------ expressions (pure, lazy where said)


@dataclass(frozen=True, slots=True)
class Const:
    type: Type
    value: int  # a bool for Bool, a mask for Set


@dataclass(frozen=True, slots=True)
class Local:
    """The value of Program.locals[id]: a parameter, a binder, or a variable of a rule or function."""

    type: Type
    id: int


@dataclass(frozen=True, slots=True)
class Load:
    """The value of the scalar Program.vars[var]."""

    type: Type
    var: int


@dataclass(frozen=True, slots=True)
class At:
    """Element `index` of the array Program.vars[var]. The index is always within its length (lowering adds a
    Need where it might not be).
    """

    type: Type
    var: int
    index: Expr


@dataclass(frozen=True, slots=True)
class Lookup:
    """Element `index` of the static Program.tables[table]; always within."""

    type: Type
    table: int
    index: Expr


Operator = Literal[
    # integers; div and mod floor, their divisor is never 0
    "add", "sub", "mul", "div", "mod", "neg", "abs", "min", "max",
    "eq", "ne",  # two values of the same kind
    "lt", "le",  # integers
    "and", "or", "not",  # and, or: n-ary, lazy from the left
    "in",  # (integer, set): false if the integer is outside 0..size-1
    # sets of the same size; subset: every element of the first is in the second
    "union", "inter", "diff", "subset",
    "card", "single",  # number of elements; {i}
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Op:
    type: Type
    op: Operator
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Lazy: only the branch taken is evaluated."""

    type: Type
    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Fold:
    """`op(body for binder in over if where)`, elements in ascending order.

    any, all: stop at the first true/false body. count: number of elements with `where` and body true. sum.
    set: {body}, the body an integer. first: the lowest binder value with `where` and body true, -1 if none.
    min, max: of the bodies; lowering wraps them in a Need against emptiness (a reader may return anything
    for an empty min). union: of bodies that are sets; only optimised programs have it.
    """

    type: Type
    op: Literal["any", "all", "count", "sum", "set", "first", "min", "max", "union"]
    binder: int  # id of a local, Int(0, size-1)
    over: Expr  # a set
    where: Expr  # Bool, evaluated before the body
    body: Expr


@dataclass(frozen=True, slots=True)
class Closure:
    """The least set that holds `seed` and, with every x in it, the set `step` (binder = x)."""

    type: Type
    seed: Expr
    binder: int
    step: Expr


@dataclass(frozen=True, slots=True)
class Let:
    type: Type
    local: int
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """Program.functions[function] applied to values; a function reads state but never changes it; no
    recursion.
    """

    type: Type
    function: int
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """`value` if `test` holds, else the fault Program.faults[fault]. The only way in which an expression
    faults.
    """

    type: Type
    test: Expr
    value: Expr
    fault: int


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs `body` on a scratch copy of state and locals, then evaluates `test` there. A fault inside is a
    fault.
    """

    type: Type
    body: Code
    test: Expr


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """What an optimiser adds for writers of code: an operation on `args` that always gives a value. The kinds
    are its subclasses (opt/nodes.py); only optimised programs have them.
    """

    type: Type
    args: tuple[Expr, ...]


Expr = (
    Const | Local | Load | At | Lookup | Op | If | Fold | Closure | Let | Call | Need | Trial | Intrinsic
)  # fmt: skip

# ------------------------------------------------------------------------------------ statements (never stop)


@dataclass(frozen=True, slots=True)
class Assign:
    """Gives a local its value."""

    local: int
    value: Expr
    origin: int = -1  # index into Program.origins


@dataclass(frozen=True, slots=True)
class Store:
    """Gives a scalar state variable its value; always within its type (lowering adds a Need)."""

    var: int
    value: Expr
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Put:
    """Gives one element of an array its value. Index and value are evaluated, index first, before anything
    changes.
    """

    var: int
    index: Expr
    value: Expr
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Fill:
    """Gives every element of an array its value at once: element i becomes `value` with binder = i, all of
    them computed on the old state.
    """

    var: int
    binder: int
    value: Expr
    origin: int = -1


@dataclass(frozen=True, slots=True)
class When:
    test: Expr
    then: Code
    other: Code = ()


@dataclass(frozen=True, slots=True)
class For:
    """The body for each element of the set `over`, ascending; `over` is evaluated once, on entry."""

    local: int
    over: Expr
    body: Code


@dataclass(frozen=True, slots=True)
class Loop:
    """The body again and again until a Break (or Return). A lap beyond `bound` is the fault `fault`."""

    bound: int
    body: Code
    fault: int


@dataclass(frozen=True, slots=True)
class Break:
    """Leaves the innermost For or Loop."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Goes on with the next lap of the innermost For or Loop."""


@dataclass(frozen=True, slots=True)
class Return:
    """The value of the function (functions only; every path ends in one, or in a Check that fails)."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Check:
    """The fault Program.faults[fault] unless `test` holds."""

    test: Expr
    fault: int


Stmt = (
    Assign | Store | Put | Fill | When | For | Loop | Break | Continue | Return | Check
)  # fmt: skip
Code = tuple[Stmt, ...]

# ---------------------------------------------------------------------------------------------- control


@dataclass(frozen=True, slots=True)
class Goto:
    block: int


@dataclass(frozen=True, slots=True)
class Split:
    test: Expr
    then: int
    other: int


@dataclass(frozen=True, slots=True)
class Switch:
    """Goes to targets[value of the local]: the return from a rule that contains stops."""

    local: int
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of an action. Its values are the i in `over` with `where` (binder: `local`; earlier
    parameters may be read).
    """

    name: str
    local: int
    over: Expr
    where: Expr
    domain: int  # Program.domains[domain].texts[i] is how value i is written


@dataclass(frozen=True, slots=True)
class Arm:
    """The actions `name(v1, v2, ...)`, enumerated with the last parameter fastest. Legal if `guard`, the
    parameters' conditions, and `legal` hold.
    """

    name: str
    params: tuple[Param, ...]
    guard: Expr
    legal: Expr  # evaluated with all parameters bound (often a Trial); Const true otherwise
    target: int  # the block where play goes on, with the parameters' locals set
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Decide:
    """A decision of a player. If no action is legal: the block `other`, or, if that is -1, the fault
    `stuck`.
    """

    label: str
    actor: Expr  # index of a player
    arms: tuple[Arm, ...]
    other: int
    stuck: int  # index into Program.faults
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Chance:
    """An outcome i in 0..n-1 (n = number of texts of the domain), with the weight `weight` (binder: `local`),
    which is never negative.
    Outcomes of weight 0 do not exist; all weights 0 is the fault `empty`."""

    label: str
    local: int
    weight: Expr
    domain: int
    target: int
    empty: int
    origin: int = -1


@dataclass(frozen=True, slots=True)
class End:
    """The game is over; state variable Program.result holds the keys by which players are ranked."""

    form: Literal["win", "tie", "rank", "pays"]
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Fail:
    """Terminal fault."""

    fault: int


Exit = Goto | Split | Switch | Decide | Chance | End | Fail


@dataclass(frozen=True, slots=True)
class Block:
    """Code, then an exit. At a block whose exit stops (Decide, Chance, End) the state remembers the locals in
    `live` only;
    the code of such a block is empty, so that a state stands right at its stop."""

    code: Code
    exit: Exit
    live: tuple[int, ...] = ()
    name: str = ""  # of a stop: unique and stable, such as "play.place"


# ---------------------------------------------------------------------------------------------- programs


@dataclass(frozen=True, slots=True)
class Var:
    """A state variable: a scalar (length None) or an array. `seen`: None = seen by all, else for every
    element the mask of the players who see it.
    """

    name: str
    type: Type
    length: int | None
    initial: int | tuple[int, ...]
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
    secret: bool = False  # it may hold what was read from, or drawn into, state that not everyone sees


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
    `at LABEL` (empty: as the form says). A property written `for p in Player` yields one for each value, told
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
    instead can be told. `actors`: the players who are named before the texts.
    """

    kind: Literal["holds", "legal", "illegal", "exactly"]
    value: Expr | None
    texts: tuple[str, ...]
    origin: int
    sides: tuple[Sides, ...] = ()
    actors: tuple[int, ...] = ()


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
    element it shows.
    """

    element: str
    when: Expr
    x: Expr
    y: Expr
    glyph: Expr
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """Text beside the picture: pieces of text, and values written by their texts (or as plain integers if
    there are none; offset: the Int's low).
    """

    when: Expr
    parts: tuple[str | tuple[Expr, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class View:
    name: str
    spots: tuple[Spot, ...]
    lines: tuple[Line, ...]


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
