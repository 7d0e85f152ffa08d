"""Explanations E05: statements, and who may act where."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

ACTING: dict[str, Explanation] = {
    "E0501": explanation(
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
    "E0502": explanation(
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
    "E0503": explanation(
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
    "E0504": explanation(
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
    "E0505": explanation(
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
    "E0506": explanation(
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
    "E0507": explanation(
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
    "E0509": explanation(
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
    "E0510": explanation(
        "require without an action",
        """`require` makes the action that led here illegal where the condition fails. It stands in the arm
        itself or behind a `choose` of one action that cannot be passed, once, and in no inner block.""",
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
