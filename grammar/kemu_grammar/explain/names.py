"""Explanations E03: names, declarations, settings."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

NAMES: dict[str, Explanation] = {
    "E0301": explanation(
        "an unknown name",
        """Nothing of this name is declared in the file or in its libraries, and it is not a local or a
        parameter here. A local is known after its first assignment.""",
        "fun far(n: 0..9): m > 5",
        "fun far(n: 0..9): n > 5",
    ),
    "E0302": explanation(
        "declared twice",
        """Every name stands for one thing; to replace a fun or rule in some instances, write it `under`
        a condition. A function or constant of a library gives way to one of the game's own, unless other
        parts of the library need it. Questions that are asked of every game have their names, too.""",
        "const most = 3\nconst most = 4",
        "const least = 3\nconst most = 4",
    ),
    "E0303": explanation(
        "an unknown field",
        """After the dot comes a column of a table, a field of a record or product, `x` or `y` of a
        point, or a method: `index`, `count` and `with` of a list, `find` of a unique map. What a player has
        is in a map, `score[p]`, and functions take what they are about: `len(s)`, `won(p)`.""",
        "record Course(last: 0..9, need: 0..4)\nfun wants(c: Course): c.needs",
        "record Course(last: 0..9, need: 0..4)\nfun wants(c: Course): c.need",
    ),
    "E0304": explanation(
        "a variable that is never read",
        """An assignment to a new name makes a local. This one is never read, and its name is close to
        that of a state variable, which therefore stays as it was.""",
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
    "E0305": explanation(
        "an unknown library", "`use x` includes the files in the library folder `x`.", "use bords"
    ),
    "E0306": explanation(
        "a library that is more than a library",
        "A library holds domains, enums, records, tables, consts, funs and checks, but no game.",
    ),
    "E0307": explanation(
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
    "E0308": explanation(
        "a value that the option does not have",
        "An option can be compared with, and set to, only the values that its declaration lists.",
        "option level: easy | hard = easy\nneeds level == hrad",
        "option level: easy | hard = easy\nneeds level == hard",
    ),
    "E0309": explanation(
        "the result before the end",
        """`winner` and `winners` are known only at the end of the game: use them in properties, in
        examples and in funs that only these use.""",
        """
        rules:
            if winner is some:
                end tie
        """,
        "property decided: at_end winner is some or len(winners) == 2",
    ),
    "E0310": explanation(
        "an unknown type",
        """The name of a type is that of a domain, enum, record or table, or it is `bool`, `int`, `text`
        or `Player`.""",
        "domain Cell = grid(1..3, 1..3)\nfun left_side(c: Cel): c.x == 1",
        "domain Cell = grid(1..3, 1..3)\nfun left_side(c: Cell): c.x == 1",
    ),
    "E0311": explanation(
        "an unknown parameter",
        "A named argument must name a parameter of what is called, each at most once.",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, c=1)",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, b=1)",
    ),
    "E0312": explanation(
        "the number of arguments",
        "A call gives one value for each parameter, except for those that have a default.",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3)",
        "fun less(a: 0..9, b: 0..9): a - b\nconst two = less(3, 1)",
    ),
    "E0313": explanation(
        "an unknown setting",
        "An instance can set `players` and the options of the game, nothing else.",
        "option level: easy | hard = easy\ninstance tough: levl = hard",
        "option level: easy | hard = easy\ninstance tough: level = hard",
    ),
    "E0315": explanation(
        "a table's file",
        """`table T from "file.csv":` reads a CSV file beside the rules file: a header, then one row to a
        line, with its name first. The file is named without a folder, and is no link to another place.""",
    ),
    "E0314": explanation(
        "not a function",
        """Only funs, rules, records, domains and built-in functions can be called. A map is read with
        square brackets.""",
        "const price = {1: 5, 2: 8}\nconst first_price = price(1)",
        "const price = {1: 5, 2: 8}\nconst first_price = price[1]",
    ),
    "E0316": explanation(
        "a name of an inner block",
        """A name that gets its first value inside the block of an `if`, a loop or an arm is known only
        up to the end of that block, since on other paths it would have no value. Declare it before
        the block, with its type.""",
        """
        rules:
            for p in Player:
                if p == ben:
                    last = p
            end win(last)
        """,
        """
        rules:
            last: Player = ann
            for p in Player:
                if p == ben:
                    last = p
            end win(last)
        """,
    ),
    "E0317": explanation(
        "no such instance",
        "`like` names the instance whose settings are taken over.",
        "option fast: bool = false\ninstance duel: like smal; fast = true\ninstance small: players = 2",
        "option fast: bool = false\ninstance duel: like small; fast = true\ninstance small: players = 2",
    ),
    "E0318": explanation(
        "instances in a circle",
        """An instance takes over the settings of another, which cannot in turn take over its own,
        directly or by way of others.""",
        "instance duel: like duel; players = 2",
        "instance duel: like small\ninstance small: players = 2",
    ),
    "E0319": explanation(
        "a default that depends on something unknown",
        """The default of an option may depend on other options, if they are declared before: options are
        settled one after another, before anything else in the file. Besides these it may ask how many there
        are of the players, or of an enum or a table: `len(Player)`.""",
        "option height: 3..9 = width\noption width: 3..9 = 7",
        "option width: 3..9 = 7\noption height: 3..9 = width",
    ),
    "E0320": explanation(
        "the rules file of a file of proofs",
        '`proves "heap.kemu"` names the rules file that the claims are about; it lies in the same folder.',
    ),
    "E0321": explanation(
        "a file of proofs that is more than that",
        """A file of proofs holds claims, examples, checks, options and instances for models of the game, and
        what these need. Players, state, rules, readings and views say how the game is played: they stand
        in the rules file.""",
    ),
}
