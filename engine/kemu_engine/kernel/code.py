"""What programs are made of: types, expressions, statements, and the graph of blocks in which these stand.

Three kinds of value: truth (`bool`), integers with a known interval (`int`), and sets over 0..n-1 (an `int`
whose bit i says whether i is in it). Everything of the surface language (domains, options, maps, bags, lists,
records) is laid out in these: an element of a domain is its index, `none` is -1, a map is an array, a bag an
array of counts, a list a length and an array.
Control is a graph of blocks that stop at a decision, at a chance node, at an end, or in a fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True, slots=True)
class History:
    """Multisets of snapshots (kernel/snapshots.py): of the values that these state variables have had
    together. Only a state variable can be one, and only Times, Note and Forget name it.
    """

    vars: tuple[int, ...]


Type = Bool | Int | Set | History
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
class Times:
    """How often the present values of the variables of a history stand in Program.vars[var]: 0..255, more
    counts as 255.
    """

    type: Type
    var: int


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
    """Runs `body` on a scratch copy of state and locals, then evaluates `test` there. A fault inside is
    a fault.
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
    Const | Local | Load | At | Times | Lookup | Op | If | Fold | Closure | Let | Call | Need | Trial
    | Intrinsic
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
class Note:
    """Adds the present values of the variables of a history to it."""

    var: int
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Forget:
    """Makes a history empty."""

    var: int
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


Writing = Store | Put | Fill | Note | Forget
"""The statements that write a state variable, their `var`."""
Stmt = (
    Assign | Store | Put | Fill | Note | Forget | When | For | Loop | Break | Continue | Return | Check
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
class Condition:
    """What the rules file asks of an action at `origin`, for those who are told why one is not legal: that
    `test` holds once the first `params` parameters have values. Only programs as they are lowered have it.
    """

    params: int
    test: Expr
    origin: int


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
    conditions: tuple[Condition, ...] = ()  # guard, conditions and legal once more, in their order


@dataclass(frozen=True, slots=True)
class Decide:
    """A decision of a player. If no action is legal: the block `other`, or, if that is -1, the fault
    `stuck`. `told`: when the other players are told what was chosen.
    """

    label: str
    actor: Expr  # index of a player
    arms: tuple[Arm, ...]
    other: int
    stuck: int  # index into Program.faults
    origin: int = -1
    told: Literal["at once", "together", "never"] = "at once"


@dataclass(frozen=True, slots=True)
class Chance:
    """An outcome i in 0..n-1 (n = number of texts of the domain), with the weight `weight` (binder: `local`),
    which is never negative.
    Outcomes of weight 0 do not exist; all weights 0 is the fault `empty`. `told`: the set of players who are
    told the outcome (None: all of them); play does not depend on it.
    """

    label: str
    local: int
    weight: Expr
    domain: int
    target: int
    empty: int
    origin: int = -1
    told: Expr | None = None


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
