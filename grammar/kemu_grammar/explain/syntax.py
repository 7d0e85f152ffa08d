"""Explanations E02: the form of declarations, statements and expressions."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

SYNTAX: dict[str, Explanation] = {
    "E0200": explanation("an empty file", "A rules file declares at least a game, players and rules."),
    "E0201": explanation(
        "not a declaration",
        """A line that starts in column 1 begins a declaration: `game`, `players`, `option`, `domain`,
        `state:`, `fun`, `rule`, `rules:`, `property` and so on. Statements are indented below
        `rules:`, a `rule` or a `fun`.""",
        "def far(n: 0..9): n > 5",
        "fun far(n: 0..9): n > 5",
    ),
    "E0202": explanation(
        "something unexpected",
        "The text cannot go on like this. The message says what could come here instead.",
        "const sides = [1 2]",
        "const sides = [1, 2]",
    ),
    "E0203": explanation(
        "`=` where things are compared",
        """`=` puts a value into a variable, `==` compares two values; `is` only asks whether there is a
        value.""",
        "fun six(n: 1..6): 1 if n = 6 else 0",
        "fun six(n: 1..6): 1 if n == 6 else 0",
    ),
    "E0204": explanation(
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
    "E0205": explanation(
        "an operator of another language",
        """Truth values are combined with `and`, `or`, `not`; a variable grows by `x += 1`; functions
        without a name are written `x -> e`; there are no decimal fractions.""",
        "fun both(a: bool, b: bool): a && b",
        "fun both(a: bool, b: bool): a and b",
    ),
    "E0206": explanation(
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
    "E0207": explanation(
        "indented without reason",
        """Only the line after one that ends with `:` is indented further. Declarations begin in column
        1.""",
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
    "E0208": explanation(
        "a missing block",
        """A line that ends with `:` is followed by a block, indented further. A block that does nothing
        is `pass`.""",
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
    "E0209": explanation(
        "a reserved word as a name",
        """These words cannot be names: and, or, not, implies, in, is, none, true, false, if, elif,
        else, for, while, break, continue, pass, return. All other words of the language can.""",
        "enum Way: in, out",
        "enum Way: inward, outward",
    ),
    "E0210": explanation(
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
    "E0211": explanation(
        "not a type",
        """Types are `bool`, a range `0..30`, a domain, an enum, a record, `Player`, `T?` (a value that
        may be missing), `set[D]`, `map[D, T]`, `list[T, n]`, `bag[T]`, `tuple[T, U]`.""",
        """
        state:
            pool: 30
        """,
        """
        state:
            pool: 0..30
        """,
    ),
    "E0212": explanation(
        "arguments",
        "Arguments without a name come first; `->` comes after a name, or after several in parentheses.",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(b=1, 3)",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, b=1)",
    ),
    "E0213": explanation(
        "else without if",
        "`else:` and `elif` come right after the block of their `if` (or `choose`), indented like it.",
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
    "E0214": explanation(
        "nothing to assign to",
        "The left side of `=` must be a variable or a part of one: `pool`, `stone[c]`, `course.need`.",
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
    "E0215": explanation(
        "how a game ends",
        """`end win(p)`: one player wins. `end tie`: a tie. `end rank(score)`: players are ranked by a
        score; `rank((score, shells))` breaks ties. `end pays(map)`: what each player gets.""",
        """
        rules:
            end draw
        """,
        """
        rules:
            end tie
        """,
    ),
    "E0216": explanation(
        "two orders", "A loop can have only one `in order of`: one player chooses the order."
    ),
    "E0217": explanation(
        "the value of an option",
        "The values of an option are words, whole numbers, or `true` and `false`, not expressions.",
        "option size: 3 | 2 + 2 = 3",
        "option size: 3 | 4 = 3",
    ),
    "E0218": explanation(
        "a row of a table",
        """Every row consists of a name and then one value for each column, with commas between the
        values.""",
        """
        table Card(pips: 1..9, red: bool):
            ace 1
        """,
        """
        table Card(pips: 1..9, red: bool):
            ace 1, true
        """,
    ),
    "E0219": explanation(
        "the parts of an example",
        """An example begins with `at LABEL:` or `given:` and assignments, at most one of them. Then come
        `do:` with steps and `expect:` with what holds at that point, as often as needed, in the order
        in which they are meant.""",
        """
        example "nothing":
            expect: true
            given: pass
        """,
        """
        example "nothing":
            expect: true
            expect: len(Player) == 2
        """,
    ),
    "E0231": explanation(
        "`expect` before `if`",
        """The parts of a property come in one order: its name, `for` and `if`, `forgetting`, `expect`, then
        the colon and what is claimed.""",
        "property long expect refuted if len(Player) == 2: always len(Player) == 3",
        "property long if len(Player) == 2 expect refuted: always len(Player) == 3",
    ),
    "E0220": explanation(
        "something essential is missing", "Every game needs `game`, `players` and `rules:`, once each."
    ),
    "E0221": explanation(
        "the form of a property",
        """A property says how often its condition holds: `always`, `never` (at decisions and ends),
        `everywhere` (also where chance decides), `initially` (the first time that play comes there),
        `possible`, `always possible`, `at_end`, `terminates`, `ends almost
        surely`, `at most n`, `at least n`, `maximize`. Or it begins `from any if ...: run rule(...)`.""",
        "property sane: len(Player) == 2",
        "property sane: always len(Player) == 2",
    ),
    "E0226": explanation(
        "another version of the language",
        """A file may say which version of the language it is written for, `language 2`. What the versions
        changed: since 2, `m = {1: 7}` is refused if the map m has other keys, which it left as they were
        before; that is now written `m |= {1: 7}`, or the type has a default, `map[1..3, 0..9 = 0]`. And a
        set is gone through in the order of its elements, however it is written.""",
        "language 1",
        "language 2",
    ),
    "E0222": explanation(
        "a misspelt word",
        "This looks like a word of the language, but is spelt differently.",
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
    "E0223": explanation(
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
    "E0224": explanation(
        "an assertion without a name",
        """`assert name: e` says that e holds whenever play passes here. Verdicts refer to it by its
        name.""",
        """
        rules:
            assert len(Player) == 2
            end tie
        """,
        """
        rules:
            assert two: len(Player) == 2
            end tie
        """,
    ),
    "E0227": explanation(
        "what is drawn",
        """`draw c from deck` draws one thing and names it; `draw 5 from deck to hand[p]` draws five, one
        after another, and puts them into a zone.""",
        """
        state:
            deck: bag[1..3] = {1: 2}
        rules:
            draw 2 from deck
            end tie
        """,
        """
        state:
            deck: bag[1..3] = {1: 2}
        rules:
            draw 2 from deck to box
            end tie
        """,
    ),
    "E0229": explanation(
        "what could be",
        """`can` asks whether an action would be legal: `can take(c) by q`, `can take`. `after` asks what
        would be if a rule had run: `safe(p) after step(a, b)`.""",
        """
        rules:
            choose go by ann
            if 1 == 1 after 2:
                end tie
            end win(ann)
        """,
        """
        rule go_on:
            pass
        rules:
            choose go by ann
            if 1 == 1 after go_on():
                end tie
            end win(ann)
        """,
    ),
    "E0232": explanation(
        "a word before a name",
        """A name gets its value by `x = e`; one that changes is declared with its type, `x: 0..9 = e`, and
        state variables stand below `state:`. There is no `let`, `var` or `global`.""",
        """
        rules:
            let x = 2
            end tie
        """,
        """
        rules:
            x = 2
            end tie
        """,
    ),
    "E0233": explanation(
        "a condition of another language",
        """A value that depends on a condition is `b if a else c`. A statement that does begins `if a:`;
        `if not a:` is for the other case.""",
        "fun sign_of(n: 0..9): n > 0 ? 1 : 0",
        "fun sign_of(n: 0..9): 1 if n > 0 else 0",
    ),
    "E0234": explanation(
        "a comment of another language",
        "A comment begins with `#` and ends with its line. `//` divides and rounds down.",
        "const most = 3  // stones at once",
        "const most = 3  # stones at once",
    ),
    "E0235": explanation(
        "a block in braces",
        """A line that opens a block ends with `:`, and the block is indented below it. Braces hold sets and
        maps.""",
        """
        rule nothing {
            pass
        }
        """,
        """
        rule nothing:
            pass
        """,
    ),
    "E0225": explanation(
        "`like` in the middle",
        """An instance takes over the settings of one other instance and then adds its own, so `like`
        comes first.""",
        "instance small: players = 2\ninstance duel: players = 2; like small",
        "instance small: players = 2\ninstance duel: like small; players = 2",
    ),
}
