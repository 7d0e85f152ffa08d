"""Explanations E0734 to E0743: moving, rules, decisions, chance."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

ACTS: dict[str, Explanation] = {
    "E0734": explanation(
        "what can move",
        """Things move between bags, sets, lists, variables of a type `T?`, and ranges, which count them;
        all of a list can move only into a list, and `move all x` needs a bag as its source.""",
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
        "The initial value of a list or bag is more than it can hold.",
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
        already has an order.""",
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
    "E0738": explanation(
        "a rule that returns nothing",
        "The value of a rule is used here, but the rule has no `return` with a value.",
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
        """A parameter of an action goes through a domain, a set or a range, so that everything that can
        ever be chosen is known before play. A list in state can hold anything in any order: go
        through a domain instead, with `if x in xs`.""",
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
        "two actions written alike",
        """Actions are told apart by their text. So no two values of a parameter may be written alike, and a
        text among them is not empty, nor has it commas or round brackets in it.""",
        """
        enum Suit: clubs
        domain Odd = {clubs, "clubs"}
        rules:
            choose take(x in Odd) by ann
            end tie
        """,
        """
        enum Suit: clubs, spades
        rules:
            choose take(x in Suit) by ann
            end tie
        """,
    ),
    "E0741": explanation(
        "what cannot be tried out stands before a `require`",
        """`require` looks at what the action has done so far. Before it, nobody can decide and nothing
        can be rolled or drawn, since it must be known whether the action is legal before it is
        chosen. For the same reason no `while` stands there, which might never end (`repeat at most n`
        may), nor what leaves the rule.""",
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
        """The faces of a die must be known before play, and from one to a hundred dice can be rolled at
        once. For outcomes that change during play, draw from a bag or a set.""",
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
        "what can be drawn from",
        """`draw` takes something out of a bag or a set in state; the more copies of a thing a bag holds,
        the likelier it is drawn. A list has an order that somebody knows.""",
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
