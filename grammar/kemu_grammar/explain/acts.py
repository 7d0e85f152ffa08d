"""Explanations E0734 to E0743: moving, rules, decisions, chance."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

ACTS: dict[str, Explanation] = {
    "E0734": explanation(
        "zones",
        """Things move between bags, sets, lists, options, and ranges as counters; all of a list goes
        into a list, `move all x` takes x from a bag.""",
        """
        state:
            xs: list[1..3, 3]
            b: bag[1..3]
        rules:
            move all 2 from xs to b
            end tie
        """,
        """
        state:
            xs: list[1..3, 3]
            b: bag[1..3]
        rules:
            move all 2 from b to box
            end tie
        """,
    ),
    "E0735": explanation(
        "more than fits",
        "What a list or bag holds in the beginning is more than it may hold.",
        """
        state:
            b: bag[1..3, 2] = {2: 3}
        """,
        """
        state:
            b: bag[1..3, 3] = {2: 3}
        """,
    ),
    "E0736": explanation(
        "the order of a list",
        """`for x in S in order of q` asks q which element comes next, so S is a set or a range; a list
        has its order.""",
        """
        state:
            xs: list[1..3, 3]
        rules:
            for x in xs in order of ann:
                pass
            end tie
        """,
        """
        state:
            xs: set[1..3]
        rules:
            for x in xs in order of ann:
                pass
            end tie
        """,
    ),
    "E0737": explanation(
        "what a rule returns",
        """A rule that stops on its way returns what fits one variable: a number, a truth value, an
        element, a set, perhaps `none`. For more, let it change an `inout` parameter or state.""",
        """
        state:
            xs: list[1..3, 3]
        rule r -> list[1..3, 3]:
            choose go by ann
            return xs
        rules:
            ys = r()
            if len(ys) == 2:
                end tie
            end tie
        """,
        """
        state:
            xs: list[1..3, 3]
        rule r -> 0..3:
            choose go by ann
            return len(xs)
        rules:
            m = r()
            if m == 2:
                end tie
            end tie
        """,
    ),
    "E0738": explanation(
        "a rule that returns nothing",
        "Here is the value of a rule wanted, but the rule has no `return` with a value.",
        """
        state:
            n: 0..9
        rule r():
            n = 1
        rules:
            k = r()
            if k == 2:
                end tie
            end tie
        """,
        """
        state:
            n: 0..9
        rule r():
            n = 1
            return n
        rules:
            k = r()
            if k == 2:
                end tie
            end tie
        """,
    ),
    "E0739": explanation(
        "parameters of actions",
        """A parameter of an action runs through a domain, a set or a range: then all that can ever be
        chosen is known. A list in state holds anything in any order; run through a domain and ask
        `if x in xs`.""",
        """
        state:
            xs: list[1..3, 3]
        rules:
            choose take(x in xs) by ann
            end tie
        """,
        """
        state:
            xs: list[1..3, 3]
        rules:
            choose take(x in 1..3) by ann if x in xs
            else:
                pass
            end tie
        """,
    ),
    "E0740": explanation(
        "two actions alike",
        "Actions are told apart by their text, so no two values of a parameter are written alike.",
        """
        enum Suit: hearts
        domain Odd = {hearts, "hearts"}
        rules:
            choose take(x in Odd) by ann
            end tie
        """,
        """
        enum Suit: hearts, spades
        rules:
            choose take(x in Suit) by ann
            end tie
        """,
    ),
    "E0741": explanation(
        "a trial that stops",
        """`require` looks at what the action has done so far. Nobody can decide and nothing be rolled
        on the way: whether the action is legal must be known before.""",
        """
        state:
            n: 0..9
        rules:
            choose go by ann
            n = roll 1..6
            require n > 2
            end tie
        """,
        """
        state:
            n: 0..9
        rules:
            choose go by ann
            n = 1
            require n < 2
            n = roll 1..6
            end tie
        """,
    ),
    "E0742": explanation(
        "dice",
        """The faces of a die are known before play, and from one to a hundred dice are rolled at once.
        For what changes in play, draw from a bag or set.""",
        """
        state:
            n: 1..6
        rules:
            n = roll 1..n
            end tie
        """,
        """
        state:
            n: 1..6
        rules:
            n = roll 1..6
            end tie
        """,
    ),
    "E0743": explanation(
        "where things are drawn from",
        """`draw` takes a thing out of a bag or a set in state, where each is as likely as it is
        frequent. A list has an order that somebody knows.""",
        """
        state:
            pile: list[1..3, 3]
        rules:
            draw x from pile
            end tie
        """,
        """
        state:
            pile: bag[1..3, 3]
        rules:
            draw x from pile
            end tie
        """,
    ),
}
