"""E077x: examples that begin where no play can be, and what another version of the language changed."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

TAKING = """
    state:
        left: 0..9 = 9
    rules:
        for p in turns():
            choose take(n in 1..2) if n <= left
            left -= n
            if left == 0:
                end win(p)
    example "the last one":
        at take: left = 1
        do: take(1)
        expect: winner == ben
"""
AGREED = """
    rule answer(q: Player):
        choose agree by q
    rules:
        for p in turns():
            answer(other(p))
            end win(p)
    example "agreed":
        at agree, q = ben, p = ben:
        do: agree
        expect: winner == ann
"""

EXAMPLES: dict[str, Explanation] = {
    "E0771": explanation(
        "a name without a value",
        """An example that begins at a decision gives values to the names that play still needs, those of
        the rules that called this one among them. What follows from others need not be given: a
        parameter takes its argument, and the argument the parameter. A name of a calling rule that is
        hidden here is written with its rule, `rules.p`.""",
        TAKING,
        TAKING.replace("at take:", "at take, p = ben:"),
    ),
    "E0772": explanation(
        "a position that no play comes to",
        """The values that an example gives contradict each other: in the rules one of them follows from
        another, and would be something else.""",
        AGREED,
        AGREED.replace(", p = ben", ""),
    ),
    "E0776": explanation(
        "`can` without what the action depends on",
        """Whether an action is legal depends on names of the rule that offers it. `can` takes them from where
        it stands, by the same names; the name of the actor it takes from `by`.""",
        """
        fun stuck(q: Player): not can take by q
        rules:
            least = 1
            for p in turns():
                choose take(n in 1..2) if n >= least
                if stuck(other(p)):
                    end win(p)
        """,
        """
        fun stuck(q: Player, least: 1..2): not can take by q
        rules:
            least = 1
            for p in turns():
                choose take(n in 1..2) if n >= least
                if stuck(other(p), least):
                    end win(p)
        """,
    ),
    "E0777": explanation(
        "`can` of an action with a name that several have",
        "Several decisions offer an action of this name, so which one is meant cannot be told.",
        """
        rules:
            choose take by ann
            choose take by ben
            if can take:
                end tie
            end win(ann)
        """,
        """
        rules:
            choose take by ann
            choose grab by ben
            if can take:
                end tie
            end win(ann)
        """,
    ),
    "E0778": explanation(
        "a rule that cannot be tried",
        """Behind `after` stands a rule that runs through: it does not decide, roll, draw or end, and has no
        `return` but at its end.""",
        """
        rule go_on:
            choose go by ann
        rules:
            if 1 == 1 after go_on():
                end tie
            end win(ann)
        """,
        """
        state:
            gone: bool
        rule go_on:
            gone = true
        rules:
            if gone after go_on():
                end tie
            end win(ann)
        """,
    ),
    "E0791": explanation(
        "something large after a rule",
        """`e after rule(...)` may be a truth value, a number, an element or `none`. Of sets, lists and maps
        ask what matters of them: `len(free()) after place(c)`.""",
        """
        state:
            gone: set[1..3]
        rule take(n: 1..3):
            gone |= {n}
        rules:
            for p in turns():
                choose go(n in 1..3) if (gone after take(n)) == {1}
                end win(p)
        """,
        """
        state:
            gone: set[1..3]
        rule take(n: 1..3):
            gone |= {n}
        rules:
            for p in turns():
                choose go(n in 1..3) if (len(gone) after take(n)) == 1
                end win(p)
        """,
    ),
    "E0779": explanation(
        "a question that asks itself",
        "Whether the action is legal, or what the rule does, depends on this very answer.",
        """
        rules:
            choose take by ann if can take by ann
            end win(ann)
        """,
        """
        state:
            n: 0..9
        fun fine: n < 3
        rules:
            choose take by ann if fine()
            end win(ann)
        """,
    ),
    "E0775": explanation(
        "a set whose order has changed",
        """Since version 2 of the language a set is gone through in the order of its elements, however it is
        written; version 1 went by the order of writing. A list keeps its order. A file with the line
        `language 2` is taken to mean what it says.""",
        """
        rules:
            for n in {3, 1}:
                choose take by ann if n > 0
            end tie
        """,
        """
        rules:
            for n in [3, 1]:
                choose take by ann if n > 0
            end tie
        """,
    ),
    "E0780": explanation(
        "ranks and payments",
        """What a player gets for a place, and what he is paid, cannot be compared, so a game with `end rank`
        and `end pays` has no `payoff`. `end win` and `end tie` go with both: the winner is paid 1 by
        everybody else.""",
        """
        rules:
            choose go(n in 1..2) by ann
            if n == 1:
                end rank({ann: 3, ben: 2})
            end pays({ann: 1, ben: -1})
        property fair: at_end payoff[ann] == -payoff[ben]
        """,
        """
        rules:
            choose go(n in 1..2) by ann
            if n == 1:
                end pays({ann: 3, ben: -3})
            end pays({ann: 1, ben: -1})
        property fair: at_end payoff[ann] == -payoff[ben]
        """,
    ),
    "E0773": explanation(
        "a name that nothing uses",
        """A warning: the rules would be the same without it. Of a state variable: no rule, function, end,
        claim or view reads it. That it is written does not count, nor that it is read where it gets its own
        next value (`n += 1`). Of an option, a definition, a parameter or a local: nothing mentions it,
        beginning with `rules:`, the claims and the views. Remove it, or use it; a `view` may show what only
        people look at.""",
        """
        state:
            rounds: 0..99
        rules:
            for p in turns():
                choose go
                rounds += 1
                end win(p)
        """,
        """
        state:
            rounds: 0..99
        rules:
            for p in turns():
                choose go
                rounds += 1
                if rounds == 9:
                    end win(p)
        """,
    ),
}
