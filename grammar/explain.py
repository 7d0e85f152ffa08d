"""Longer explanations of the diagnostics, one a code, each with what is wrong and what is right.

Codes: E01 text, E02 syntax, E03 names, E04 kinds, E05 acting, E06 claims; E07 to E09 belong to the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent


@dataclass(frozen=True, slots=True)
class Explanation:
    """`wrong` and `right` are rules, without the lines that every game has; empty where no short example
    helps.
    """

    title: str
    text: str
    wrong: str = ""
    right: str = ""


def explain(code: str) -> str | None:
    """The explanation of a code as text, None if there is none."""
    found = REGISTRY.get(code.upper())
    if found is None:
        return None
    parts = [f"{code.upper()}: {found.title}", found.text]
    if found.wrong:
        parts += ["Wrong:", indent(found.wrong, "    ")]
    if found.right:
        parts += ["Right:", indent(found.right, "    ")]
    return "\n\n".join(parts)


def _explanation(title: str, text: str, wrong: str = "", right: str = "") -> Explanation:
    return Explanation(title, " ".join(text.split()), dedent(wrong).strip("\n"), dedent(right).strip("\n"))


_TEXT = {
    "E0101": _explanation(
        "a tab in the indentation",
        """Blocks are told by indentation, and a tab is as wide as every editor likes. Indent with spaces,
        four for
        each level.""",
        "rules:\n\tend tie",
        "rules:\n    end tie",
    ),
    "E0102": _explanation(
        "not a text",
        """A rules file is text in UTF-8. This one holds bytes or control characters that no editor writes:
        perhaps
        the wrong file was named.""",
    ),
    "E0103": _explanation(
        "a line too long", "No line of rules has 10,000 characters. Break it in brackets, or use a table."
    ),
    "E0104": _explanation("a file too long", "A rules file has at most two million characters."),
    "E0105": _explanation(
        "quotes",
        """Texts stand between double quotes and end on the line on which they begin.""",
        "const name = 'north'",
        'const name = "north"',
    ),
    "E0106": _explanation(
        "a character without meaning",
        """Some characters of other languages have words here: `not` for `!`, `**` for `^`.""",
        "fun quiet(x: bool): !x",
        "fun quiet(x: bool): not x",
    ),
    "E0107": _explanation(
        "brackets that do not match",
        """Every bracket is closed by its own kind, before the next declaration begins. Inside brackets
        lines may be broken freely, so a bracket left open would swallow the lines after it.""",
        "const edge = {(1, 2), (2, 1",
        "const edge = {(1, 2), (2, 1)}",
    ),
    "E0108": _explanation(
        "too deep",
        """Expressions go at most a hundred operations or brackets deep, blocks twenty-five. Give a part a
        name: a
        `fun`, a `const` or a local.""",
    ),
    "E0109": _explanation("a number too long", "Numbers have at most 18 digits, so that they fit 63 bits."),
    "E0110": _explanation(
        "indentation",
        """A declaration begins in column 1. The lines of a block are indented alike, and a line that is
        less indented must match a block above.""",
        """
        rules:
                x = 1
            end tie
        """,
        """
        rules:
            x = 1
            end tie
        """,
    ),
    "E0111": _explanation(
        "division",
        "All numbers are whole. `//` divides and rounds down, `%` gives the rest.",
        "fun half(n: 0..10): n / 2",
        "fun half(n: 0..10): n // 2",
    ),
}

_SYNTAX = {
    "E0200": _explanation("an empty file", "A rules file declares at least a game, players and rules."),
    "E0201": _explanation(
        "no declaration",
        """What stands in column 1 begins a declaration: `game`, `players`, `option`, `domain`, `state:`,
        `fun`, `rule`, `rules:`, `property` and so on. Statements are indented below `rules:`, a `rule` or a
        `fun`.""",
        "def far(n: 0..9): n > 5",
        "fun far(n: 0..9): n > 5",
    ),
    "E0202": _explanation(
        "unexpected",
        "The text cannot go on like this. The message names what could have stood here instead.",
        "const sides = [1 2]",
        "const sides = [1, 2]",
    ),
    "E0203": _explanation(
        "`=` where things are compared",
        "`=` puts a value into a variable, `==` compares two values; `is` only asks whether there is one.",
        "fun six(n: 1..6): 1 if n = 6 else 0",
        "fun six(n: 1..6): 1 if n == 6 else 0",
    ),
    "E0204": _explanation(
        "else if",
        "Further cases of an `if` begin with `elif`.",
        """
        fun size(n: 0..9):
            if n > 5: return 2
            else if n > 3: return 1
            else: return 0
        """,
        """
        fun size(n: 0..9):
            if n > 5: return 2
            elif n > 3: return 1
            else: return 0
        """,
    ),
    "E0205": _explanation(
        "an operator of another language",
        """Truth values are combined with `and`, `or`, `not`; a variable grows by `x += 1`; functions
        without a name are written `x -> e`; there are no decimal fractions.""",
        "fun both(a: bool, b: bool): a && b",
        "fun both(a: bool, b: bool): a and b",
    ),
    "E0206": _explanation(
        "a missing colon",
        "A line that opens a block ends with `:`; a type follows its name after `:`.",
        """
        fun sign_of(n: 0..9):
            if n > 0
                return 1
            return 0
        """,
        """
        fun sign_of(n: 0..9):
            if n > 0:
                return 1
            return 0
        """,
    ),
    "E0207": _explanation(
        "indented without reason",
        "Only a line after one that ends with `:` is indented further. Declarations stand in column 1.",
        """
        rules:
            x = 1
                end tie
        """,
        """
        rules:
            x = 1
            end tie
        """,
    ),
    "E0208": _explanation(
        "a block is missing",
        """After a line that ends with `:` comes a block, indented further. A block that does nothing is
        `pass`.""",
        """
        rule nothing:
        rules:
            end tie
        """,
        """
        rule nothing:
            pass
        """,
    ),
    "E0209": _explanation(
        "a reserved word as a name",
        """These words cannot be names: and, or, not, implies, in, is, none, true, false, if, elif,
        else, for, while, break, continue, pass, return. All other words of the language can.""",
        "enum Way: in, out",
        "enum Way: inward, outward",
    ),
    "E0210": _explanation(
        "braces in a text",
        "Braces in a text hold an expression whose value is shown. A brace itself is written twice.",
        """
        view board:
            line "set {}"
        """,
        """
        view board:
            line "set {{}}"
        """,
    ),
    "E0211": _explanation(
        "no type",
        """Types are `bool`, a range `0..30`, a domain, an enum, a record, `Player`, `T?` (perhaps missing),
        `set[D]`,
        `map[D, T]`, `list[T, n]`, `bag[T]`, `tuple[T, U]`.""",
        """
        state:
            pool: 30
        """,
        """
        state:
            pool: 0..30
        """,
    ),
    "E0212": _explanation(
        "arguments",
        "Arguments without a name come first; before `->` stands a name, or several in parentheses.",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(b=1, 3)",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, b=1)",
    ),
    "E0213": _explanation(
        "else without if",
        "`else:` and `elif` stand right after the block of their `if` (or `choose`), indented like it.",
        """
        rules:
            x = 1
            else:
                end tie
        """,
        """
        rules:
            if len(Player) == 2:
                end tie
            else:
                end tie
        """,
    ),
    "E0214": _explanation(
        "nothing to assign to",
        "On the left of `=` stands a variable or a part of one: `pool`, `stone[c]`, `course.need`.",
        """
        rules:
            1 = 2
        """,
        """
        rules:
            x = 2
            end tie
        """,
    ),
    "E0215": _explanation(
        "how a game ends",
        """`end win(p)`: one player wins. `end tie`. `end rank(score)`: the order of a score; `rank((score,
        shells))`
        breaks ties. `end pays(map)`: what each player gets.""",
        """
        rules:
            end draw
        """,
        """
        rules:
            end tie
        """,
    ),
    "E0216": _explanation("two orders", "A loop has one `in order of`: one player chooses the order."),
    "E0217": _explanation(
        "the value of an option",
        "An option has words, whole numbers, or `true` and `false` as values; they are not worked out.",
        "option size: 3 | 2 + 2 = 3",
        "option size: 3 | 4 = 3",
    ),
    "E0218": _explanation(
        "a row of a table",
        "Every row has a name and then one value a column, with commas between them.",
        """
        table Card(pips: 1..9, red: bool):
            ace 1
        """,
        """
        table Card(pips: 1..9, red: bool):
            ace 1, true
        """,
    ),
    "E0219": _explanation(
        "the parts of an example",
        """An example has `at LABEL:` or `given:` with assignments, `do:` with steps, `expect:` with
        what then holds; each at most once.""",
        """
        example "nothing":
            expect: true
            expect: true
        """,
        """
        example "nothing":
            expect: true
        """,
    ),
    "E0220": _explanation(
        "something essential is missing", "Every game has `game`, `players` and `rules:`, once each."
    ),
    "E0221": _explanation(
        "the form of a property",
        """A property says how often its condition holds: `always`, `never` (at decisions and ends),
        `everywhere` (also
        where chance decides), `possible`, `always possible`, `at_end`, `terminates`, `at most n`, `at least
        n`,
        `maximize`.""",
        "property sane: len(Player) == 2",
        "property sane: always len(Player) == 2",
    ),
    "E0222": _explanation(
        "a misspelt word",
        "A word of the language was meant, but not written as it is.",
        """
        rules:
            whiel true:
                end tie
        """,
        """
        rules:
            while true:
                end tie
        """,
    ),
    "E0223": _explanation(
        "an action without a name",
        "Players see actions by name: `choose place(c in Cell)`.",
        """
        rules:
            for p in turns():
                choose n in 1..3
        """,
        """
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
    ),
}

_NAMES = {
    "E0301": _explanation(
        "an unknown name",
        """Nothing of this name is declared, neither in the file nor in its libraries, nor is it a local
        or a parameter here. Locals are known after their first assignment.""",
        "fun far(n: 0..9): m > 5",
        "fun far(n: 0..9): n > 5",
    ),
    "E0302": _explanation(
        "declared twice",
        """Every name stands for one thing; to replace a fun or rule in some instances, write it `under`
        a condition.""",
        "const most = 3\nconst most = 4",
        "const least = 3\nconst most = 4",
    ),
    "E0303": _explanation(
        "an unknown field",
        """After the dot stands a column of a table, a field of a record or product, `x` and `y` of a point,
        or a
        method: `index`, `count`, `with` of a list, `find` of a unique map.""",
        "record Course(last: 0..9, need: 0..4)\nfun wants(c: Course): c.needs",
        "record Course(last: 0..9, need: 0..4)\nfun wants(c: Course): c.need",
    ),
    "E0304": _explanation(
        "a variable that is never read",
        """An assignment to a new name makes a local. This one is never read and is called nearly like a
        state variable, which therefore stays as it was.""",
        """
        state:
            ball: 0..9
        rules:
            bal = 3
            end tie
        """,
        """
        state:
            ball: 0..9
        rules:
            ball = 3
            end tie
        """,
    ),
    "E0305": _explanation(
        "an unknown library", "`use x` takes in the files of the library folder `x`.", "use bords"
    ),
    "E0306": _explanation(
        "a library that is more than a library",
        "A library holds domains, enums, records, tables, consts, funs and checks, but no game.",
    ),
    "E0307": _explanation(
        "a replacement of another shape",
        "What `under` replaces is called in many places: the replacement must fit all of them.",
        """
        option hard: bool = false
        fun price(n: 0..9): n
        under hard:
            fun price(n: 0..9, m: 0..9): n + m
        """,
        """
        option hard: bool = false
        fun price(n: 0..9): n
        under hard:
            fun price(n: 0..9): n + 1
        """,
    ),
    "E0308": _explanation(
        "a value that the option does not have",
        "An option is compared with, and set to, the values that its declaration lists.",
        "option level: easy | hard = easy\nneeds level == hrad",
        "option level: easy | hard = easy\nneeds level == hard",
    ),
    "E0309": _explanation(
        "the result before the end",
        """`winner` and `winners` are known at the end of the game: in properties, examples and funs
        that these use.""",
        """
        rules:
            if winner is some:
                end tie
        """,
        "property decided: at_end winner is some or len(winners) == 2",
    ),
    "E0310": _explanation(
        "an unknown type",
        "A type is named after a domain, enum, record or table, or is `bool`, `int`, `text` or `Player`.",
        "domain Cell = grid(1..3, 1..3)\nfun left_side(c: Cel): c.x == 1",
        "domain Cell = grid(1..3, 1..3)\nfun left_side(c: Cell): c.x == 1",
    ),
    "E0311": _explanation(
        "an unknown parameter",
        "An argument with a name names a parameter of what is called, each once.",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, c=1)",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, b=1)",
    ),
    "E0312": _explanation(
        "the number of arguments",
        "A call gives one value for each parameter, except for those that have a default.",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3)",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, 1)",
    ),
    "E0313": _explanation(
        "an unknown setting",
        "An instance sets `players` and options of the game.",
        "option level: easy | hard = easy\ninstance tough: levl = hard",
        "option level: easy | hard = easy\ninstance tough: level = hard",
    ),
    "E0315": _explanation(
        "a table's file",
        """""`table T from "file.csv":` reads a CSV file beside the rules: a header, then a row a line,
        its name first."""
        "",
    ),
    "E0314": _explanation(
        "no function",
        """Only funs, rules, records, domains and built-in functions can be called. A map is read with
        brackets.""",
        "const price = {1: 5, 2: 8}\nconst first_price = price(1)",
        "const price = {1: 5, 2: 8}\nconst first_price = price[1]",
    ),
}

_KINDS = {
    "E0401": _explanation(
        "a truth value is wanted",
        """Conditions are true or false; numbers, sets and players are not. Compare with something, or ask
        with
        `is some` or `len(...) > 0`.""",
        "fun empty(n: 0..9): not n",
        "fun empty(n: 0..9): not n > 0",
    ),
    "E0402": _explanation(
        "what an operator takes",
        """Arithmetic is for numbers and points, `|`, `&` and `-` also for sets, `+` also for lists. Truth
        values are
        not added: `len({x for x in ... if ...})` counts.""",
        "fun count_up(n: 0..9): n + (n > 3)",
        "fun count_up(n: 0..9): n + (1 if n > 3 else 0)",
    ),
    "E0403": _explanation(
        "a comparison that can only fail",
        "Values of different kinds are never equal, and only numbers have an order.",
        "enum Suit: hearts, spades\nenum Dir: up, down\nfun odd_one(s: Suit): s == up",
        "enum Suit: hearts, spades\nenum Dir: up, down\nfun odd_one(s: Suit): s == spades",
    ),
    "E0404": _explanation(
        "an index of the wrong kind",
        "A map is indexed by its keys, a list by a number; a set has no order and no index.",
        """
        state:
            shells: map[Player, 0..9]
        fun rich(n: 0..9): shells[n] > 5
        """,
        """
        state:
            shells: map[Player, 0..9]
        fun rich(p: Player): shells[p] > 5
        """,
    ),
    "E0405": _explanation(
        "a value of the wrong kind",
        "What is stored, passed or returned is of the kind that was declared.",
        """
        state:
            pool: 0..9 = true
        """,
        """
        state:
            pool: 0..9 = 9
        """,
    ),
    "E0406": _explanation(
        "a function that is not called",
        "The name of a function is not its value: call it, also without arguments.",
        "fun over: len(Player) > 2\nfun going: not over",
        "fun over: len(Player) > 2\nfun going: not over()",
    ),
    "E0407": _explanation(
        "unique, but no map",
        "`unique` says that no two keys of a map hold the same value.",
        """
        state:
            pool: 0..9 unique
        """,
        """
        state:
            seat: map[Player, 0..9] unique
        """,
    ),
    "E0408": _explanation(
        "no collection",
        """Loops, comprehensions and `in` go through sets, lists, maps, bags, domains and ranges. Up to
        n is `1..n`.""",
        "const squares = [n * n for n in 5]",
        "const squares = [n * n for n in 1..5]",
    ),
    "E0409": _explanation(
        "a function out of place",
        "`x -> e` stands only where a function is wanted, as the step of a `closure`.",
        "const many = len(n -> {n * 2})",
        "const near = closure({1}, n -> {n + 2} if n < 9 else {})",
    ),
}

_ACTING = {
    "E0501": _explanation(
        "a fun that acts",
        """A `fun` looks at the game and gives a value. What changes state, asks a player, rolls, draws or
        ends the
        game is a `rule`.""",
        """
        state:
            pool: 0..9 = 9
        fun pay(n: 0..9):
            pool -= n
            return pool
        """,
        """
        state:
            pool: 0..9 = 9
        rule pay(n: 0..9):
            pool -= n
        """,
    ),
    "E0502": _explanation(
        "a rule inside an expression",
        """When things happen must be plain: the call of a rule stands alone or is the whole right-hand
        side of `=`.""",
        """
        rule throw -> 1..6:
            n = roll 1..6
            return n
        rules:
            total = throw() + 1
            end tie
        """,
        """
        rule throw -> 1..6:
            n = roll 1..6
            return n
        rules:
            total = throw()
            end tie
        """,
    ),
    "E0503": _explanation(
        "this does not change",
        """Only state variables and locals change. Constants, options, parameters (unless `inout`), the
        variables of
        loops and the parameters of actions do not.""",
        """
        const most = 3
        rules:
            most = 4
            end tie
        """,
        """
        rules:
            most: 0..9 = 3
            most = 4
            end tie
        """,
    ),
    "E0504": _explanation(
        "a statement that does nothing",
        "A statement assigns, calls a rule, moves, chooses or ends. A value by itself is lost.",
        """
        state:
            ball: 0..9
        rules:
            ball == 3
            end tie
        """,
        """
        state:
            ball: 0..9
        rules:
            ball = 3
            end tie
        """,
    ),
    "E0505": _explanation(
        "a rule that calls itself",
        "Rules call rules, but never in a circle: every game position has a fixed size. Use a loop.",
        """
        rule again:
            again()
        """,
        """
        rule again:
            repeat at most 3:
                pass
        """,
    ),
    "E0506": _explanation(
        "nobody chooses",
        "In a loop `for p in turns():` it is `p` who chooses; anywhere else `by` says who.",
        """
        rules:
            choose take(n in 1..3)
            end tie
        """,
        """
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0507": _explanation(
        "return",
        "`return` ends a rule or gives the value of a fun. `rules:` run until the game ends.",
        """
        rules:
            return
        """,
        """
        rules:
            end tie
        """,
    ),
    "E0509": _explanation(
        "outside a loop",
        "`break` leaves a loop and `continue` goes on with its next lap.",
        """
        rules:
            break
        """,
        """
        rules:
            while true:
                break
            end tie
        """,
    ),
    "E0510": _explanation(
        "require without an action",
        """`require` makes the action that led here illegal where the condition fails; so one must have
        led here.""",
        """
        rules:
            require len(Player) == 2
            end tie
        """,
        """
        rules:
            choose take(n in 1..3) by ann
            require n > 1
            end tie
        """,
    ),
}

_CLAIMS = {
    "E0601": _explanation(
        "an unknown decision",
        "After `at` stands the name of an action, of a rule that decides, or of what chance decides.",
        "property early: at plac always true",
    ),
    "E0602": _explanation(
        "an unknown action",
        "The steps of an example are actions that some `choose` offers.",
        """
        example "one":
            do: tak(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
        """
        example "one":
            do: take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0603": _explanation(
        "the parameters of an action",
        "A step gives a value for each parameter of the action.",
        """
        example "one":
            do: take(1, 2)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
        """
        example "one":
            do: take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0604": _explanation(
        "an unknown verdict",
        "`expect` names the verdict that is known to come: most often `refuted` or `impossible`.",
        "property dull expect wrong: always false",
        "property dull expect refuted: always false",
    ),
    "E0605": _explanation(
        "an unknown player",
        "Before an action may stand who acts: one of the players.",
        """
        example "one":
            do: bob take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
        """
        example "one":
            do: ann take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0606": _explanation(
        "a name that does not live there",
        "`at LABEL, name = value` sets the locals that live at that decision.",
        """
        example "one":
            at take, q = ann:
            expect: true
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
        """
        example "one":
            at take, p = ann:
            expect: true
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
    ),
}

REGISTRY: dict[str, Explanation] = {**_TEXT, **_SYNTAX, **_NAMES, **_KINDS, **_ACTING, **_CLAIMS}
