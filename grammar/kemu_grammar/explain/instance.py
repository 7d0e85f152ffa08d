"""Explanations E0701 to E0720: what is worked out before play."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

INSTANCE: dict[str, Explanation] = {
    "E0701": explanation(
        "known only during play",
        """Constants, domains, checks, sizes, numbers of dice and limits of loops are worked out when the
        instance is made. State variables, and locals whose values depend on them, are not known then.""",
        """
        state:
            n: 0..9
        const twice = 2 * n
        """,
        """
        state:
            n: 0..9
        fun twice: 2 * n
        """,
    ),
    "E0702": explanation(
        "defined in terms of itself",
        """A constant or domain that needs its own value, directly or by way of others, has none; a
        record that holds one of its own kind would never end.""",
        """
        const a = b + 1
        const b = a - 1
        """,
        """
        const a = b + 1
        const b = 4
        """,
    ),
    "E0703": explanation(
        "too many steps",
        """What is worked out before play may take at most five million steps: domains, constants, tables of
        functions, and bringing the rules into the form in which they are played. The notes name the
        definitions that took most. A loop that never ends takes too many, and so does a function that works
        out the same values again and again: if all its parameters have types, its values are remembered. A
        function has a table with a row for all that its parameters can be; smaller domains make it smaller.
        """,
        """
        fun forever():
            n = 0
            while n < 3:
                n += 0
            return n
        const c = forever()
        """,
        """
        fun three():
            n = 0
            while n < 3:
                n += 1
            return n
        const c = three()
        """,
    ),
    "E0704": explanation(
        "an empty domain",
        "A domain has at least one element: a variable that holds one must hold something.",
        "domain Big = {n for n in 1..9 if n > 9}",
        "domain Big = {n for n in 1..9 if n > 5}",
    ),
    "E0705": explanation(
        "too many elements",
        """A domain, list, set or text has at most 200,000 elements, and everything in a collection
        together at most five million. Games need fewer: perhaps a condition is missing, or a
        collection is built from itself.""",
        "domain Pair = (a: 1..1000, b: 1..1000)",
        "domain Pair = (a: 1..20, b: 1..20)",
    ),
    "E0706": explanation(
        "calls that go too deep",
        """Functions can call each other at most 300 deep, and definitions can depend on each other at
        most a thousand deep. A function that calls itself needs a case in which it does not.""",
        """
        fun f(n: int): f(n - 1) + 1
        const c = f(5)
        """,
        """
        fun f(n: int): 0 if n == 0 else f(n - 1) + 1
        const c = f(5)
        """,
    ),
    "E0707": explanation(
        "no return",
        "Every path through a function with statements has to end in `return`.",
        """
        fun big(n: 0..9):
            if n > 5:
                return true
        check big(3)
        """,
        """
        fun big(n: 0..9):
            return n > 5
        check big(6)
        """,
    ),
    "E0708": explanation(
        "an exponent",
        """All numbers are whole, so an exponent cannot be negative. In what is worked out during play,
        it must be known beforehand, since a power grows beyond all bounds.""",
        """
        state:
            n: 0..9
        rules:
            if 2 ** n > 8:
                end win(ann)
            end tie
        """,
        """
        state:
            n: 0..9
        rules:
            if n ** 2 > 8:
                end win(ann)
            end tie
        """,
    ),
    "E0709": explanation(
        "a fault before play",
        """Something that is worked out before play ran into what would be a fault during play: a value
        that is missing or out of range, an index that does not exist, a division by zero, the minimum
        of nothing, a loop that exceeded its limit.""",
        """
        const share = [6, 3]
        const third = share[2]
        """,
        """
        const share = [6, 3]
        const third = share[1]
        """,
    ),
    "E0710": explanation(
        "a value of another kind",
        """A value of another kind is needed here: a number, a truth value, a collection, a tuple with a
        certain number of parts. The checker finds most such mistakes; what a parameter without a type
        holds is known only when the instance is made.""",
        """
        fun most(xs): max(x for x in xs)
        const m = most(5)
        """,
        """
        fun most(xs): max(x for x in xs)
        const m = most([5])
        """,
    ),
    "E0711": explanation(
        "more than 63 bits",
        """Every number and every intermediate result must fit into 63 bits and a sign; during play this
        must be certain beforehand. Give variables the ranges that they need, and no more.""",
        """
        state:
            n: 0..10**17
        rules:
            if n * n > 5:
                end win(ann)
            end tie
        """,
        """
        state:
            n: 0..10**6
        rules:
            if n * n > 5:
                end win(ann)
            end tie
        """,
    ),
    "E0712": explanation(
        "no such field or method",
        """The value has no field or method of this name. Points have `.x` and `.y`, hexes `.q` and `.r`;
        elements of a product and records have the fields that they declare, and rows of a table its
        columns.""",
        """
        fun left_of(c): c.x
        const l = left_of(3)
        """,
        """
        fun left_of(c): c.x
        const l = left_of(first(grid(1..2, 1..2)))
        """,
    ),
    "E0713": explanation(
        "an empty range or a negative size",
        "A range begins with its lower end, and the size of a list or bag cannot be negative.",
        """
        const most = 3
        state:
            n: 5..most
        """,
        """
        const most = 8
        state:
            n: 5..most
        """,
    ),
    "E0714": explanation(
        "not a domain",
        """A type or a domain is needed here, but this is something else: a list, a number, or a type
        whose values cannot be listed. The keys of a map and the elements of a set or bag come from a
        domain, an enum, a table or a range.""",
        """
        const sizes = [1, 2]
        state:
            n: sizes
        """,
        """
        domain Size = {1, 2}
        state:
            n: Size
        """,
    ),
    "E0715": explanation(
        "the other of more than two",
        """`other(p)` is the opponent in a game of two. With more players, `others(p)` gives the rest,
        and `left(p)` and `right(p)` the neighbours.""",
        """
        players ann, ben, cid
        const foe = other(ann)
        """,
        """
        players ann, ben, cid
        const foes = others(ann)
        """,
    ),
    "E0716": explanation(
        "a type without a fixed size",
        """State variables, locals that change and the results of functions during play need types with a
        fixed size. `int` and `text` have none, and a list, bag or map can neither be missing nor lie
        in a set or in a tuple of a list.""",
        """
        state:
            name: text
        """,
        """
        state:
            name: 0..99
        """,
    ),
    "E0717": explanation(
        "a state that is too large",
        """A state variable consists of at most a million single values. A larger position could be
        neither kept nor shown.""",
        """
        state:
            m: map[1..2000, map[1..2000, bool]]
        """,
        """
        state:
            m: map[1..20, map[1..20, bool]]
        """,
    ),
    "E0718": explanation(
        "two branches that do not fit together",
        """During play, both branches of `a if test else b` must give values of the same kind, whatever
        the test says.""",
        """
        fun f(y, n): y if n > 2 else 10**9 + n
        state:
            n: 0..10**9
        rules:
            if f(ann, n) == ann:
                end tie
            end tie
        """,
        """
        state:
            n: 0..10**9
        fun f(y, n): y if n > 2 else 10**9 + n
        rules:
            if f(7, n) == 7:
                end tie
            end tie
        """,
    ),
    "E0719": explanation(
        "an operator on the wrong values",
        """The operator does not work with these values. The checker finds most such mistakes; what a
        parameter without a type holds is known only when the instance is made.""",
        """
        fun more(x): x + 1
        const m = more({1})
        """,
        """
        fun more(x): x + 1
        const m = more(1)
        """,
    ),
    "E0720": explanation(
        "the winner during play",
        """Who has won is known only at the end: use `winner` and `winners` in claims and in `expect`,
        and in functions that are used only there.""",
        """
        fun mine(p: Player): winner == p
        rules:
            if mine(ann):
                end tie
            end win(ben)
        """,
        """
        fun mine(p: Player): winner == p
        property hers: possible mine(ann)
        """,
    ),
    "E0781": explanation(
        "a default that the option does not have",
        """The default of an option may be worked out from options before it, and has to be a value of the
        option whatever they are.""",
        "option width: 3..9 = 9\noption height: 3..9 = width + 1",
        "option width: 3..9 = 9\noption height: 3..9 = min(width + 1, 9)",
    ),
}
