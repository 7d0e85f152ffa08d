"""Explanations E05: statements, and who may act where."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

ACTING: dict[str, Explanation] = {
    "E0501": explanation(
        "a fun that acts",
        """A `fun` looks at the game and gives a value. Anything that changes state, asks a player,
        rolls, draws or ends the game belongs in a `rule`.""",
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
        """It must be clear in which order things happen, so the call of a rule stands alone or is the
        whole right-hand side of `=`.""",
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
        "this cannot change",
        """Only state variables and locals can change. Constants, options, parameters (unless `inout`),
        loop variables and the parameters of actions cannot.""",
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
        """Rules may call rules, but never in a circle, since every position has a fixed size. Use a
        loop.""",
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
        "Inside `for p in turns():` the player `p` chooses; anywhere else, `by` names the player.",
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
        "a return in the wrong place",
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
    "E0508": explanation(
        "what `after` tries",
        "`after` asks what would hold if a rule had run. A function changes nothing.",
        """
        state:
            n: 0..9
        fun more: n + 1
        rules:
            if n == 1 after more():
                end tie
            end win(ann)
        """,
        """
        state:
            n: 0..9
        rule more:
            n += 1
        rules:
            if n == 1 after more():
                end tie
            end win(ann)
        """,
    ),
    "E0509": explanation(
        "break or continue outside a loop",
        "`break` leaves a loop and `continue` goes on with its next iteration.",
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
    "E0511": explanation(
        "again outside turns",
        "`again` begins the turn of the same player anew, in a loop over `turns()`.",
        """
        rules:
            for p in Player:
                choose go by p
                again
            end tie
        """,
        """
        rules:
            for p in turns():
                choose go
                again
        """,
    ),
    "E0512": explanation(
        "a path without an action",
        """The laps of a `path` are parts of one action, as many as it goes on. It may appear once, in the arm
        itself or after a `choose` of one action that cannot be passed, before `require`, and not in an
        inner block.""",
        """
        state:
            at: 0..9 = 0
        rules:
            for p in turns():
                path to in {n for n in 0..9 if n - at == 2} at most 4:
                    at = to
                end tie
        """,
        """
        state:
            at: 0..9 = 0
        rules:
            for p in turns():
                choose hop
                path to in {n for n in 0..9 if n - at == 2} at most 4:
                    at = to
                end tie
        """,
    ),
    "E0513": explanation(
        "no end",
        """A warning: rules that run out without an `end` break down there (the fault `no_end`), and here
        nothing at all ends the game.""",
        """
        rules:
            choose go by ann
        """,
        """
        rules:
            choose go by ann
            end tie
        """,
    ),
    "E0510": explanation(
        "require without an action",
        """`require` makes the action that led here illegal if its condition fails. It may appear once,
        in the arm itself or after a `choose` of one action that cannot be passed, and not in an inner
        block.""",
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
