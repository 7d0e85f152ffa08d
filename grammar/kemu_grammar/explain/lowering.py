"""Explanations E0721 to E0733: what play can be made of."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

LOWERING: dict[str, Explanation] = {
    "E0721": explanation(
        "a type that depends on the key",
        """Under the keys of a map, only the size of a range, list or bag may differ: `map[d in D,
        bag[T, f(d)]]`.""",
        """
        state:
            m: map[d in 1..3, set[0..d]]
        """,
        """
        state:
            m: map[d in 1..3, bag[0..3, d]]
        """,
    ),
    "E0722": explanation(
        "values that range too widely",
        """In play a function of numbers without limits becomes a table of all its cases, up to 131,072
        of them; here are more. Narrow the ranges, or write what can be done with numbers as such:
        sums, products, comparisons.""",
        """
        state:
            n: 0..10**9
        fun name(k: 0..10**9): "a{k}"
        rules:
            if name(n) == "a3":
                end tie
            end tie
        """,
        """
        state:
            n: 0..99
        fun name(k: 0..99): "a{k}"
        rules:
            if name(n) == "a3":
                end tie
            end tie
        """,
    ),
    "E0723": explanation(
        "what lies in a set",
        """Sets in play hold elements of domains or small numbers, no numbers that range widely, and no
        sets or lists.""",
        """
        state:
            n: map[1..3, 0..10**9]
        rules:
            if n[1] in {n[2], n[3]}:
                end tie
            end tie
        """,
        """
        state:
            n: map[1..3, 0..10**9]
        rules:
            if n[1] == n[2] or n[1] == n[3]:
                end tie
            end tie
        """,
    ),
    "E0724": explanation(
        "recursion in play",
        """Only functions of what is known before play may call themselves. In play use a loop, a
        comprehension or `closure`.""",
        """
        state:
            n: 0..9
        fun f(k: 0..9): n if k == 0 else f(k - 1)
        rules:
            if f(3) == 0:
                end tie
            end tie
        """,
        """
        state:
            n: 0..9
        fun f(k: 0..9): n
        rules:
            if f(3) == 0:
                end tie
            end tie
        """,
    ),
    "E0725": explanation(
        "`turns` outside a loop",
        """`turns()` goes round and round without end, so it is the source of a `for` and no value. All
        players in their order are `Player`.""",
        "const order = turns()",
        "const order = list(Player)",
    ),
    "E0726": explanation(
        "`while` in play",
        """A function that looks at play has to come to an end, whatever it finds: write `repeat at
        most n:` with `break`. In a rule, a `while` belongs outside the loops and arms that are
        tried as a whole.""",
        """
        state:
            n: 0..9
        fun f() -> 0..9:
            k: 0..9 = 0
            while k < n:
                k += 1
            return k
        rules:
            if f() == 2:
                end tie
            end tie
        """,
        """
        state:
            n: 0..9
        fun f() -> 0..9:
            k: 0..9 = 0
            repeat at most 10:
                if k >= n:
                    break
                k += 1
            return k
        rules:
            if f() == 2:
                end tie
            end tie
        """,
    ),
    "E0727": explanation(
        "too many laps",
        """A loop runs at most a million times without a stop; play would seem to hang long before
        that.""",
        """
        state:
            n: 0..9
        rules:
            repeat at most 10**9:
                if n == 9:
                    break
                n += 1
            end tie
        """,
        """
        state:
            n: 0..9
        rules:
            repeat at most 10:
                if n == 9:
                    break
                n += 1
            end tie
        """,
    ),
    "E0728": explanation(
        "defined elsewhere only",
        """This name is defined only in `under` blocks whose conditions do not hold in this instance.
        Define it outside as well, or use it only where the condition holds.""",
        """
        option storms: bool = false
        under storms:
            fun force(k: 0..9): 2 * k
        const c = force(3)
        """,
        """
        option storms: bool = false
        fun force(k: 0..9): k
        under storms:
            fun force(k: 0..9): 2 * k
        const c = force(3)
        """,
    ),
    "E0729": explanation(
        "a local that changes",
        """A local that is assigned more than once says which values it may take: a position stays
        finite.""",
        """
        rules:
            sum = 0
            for k in 1..3:
                sum += k
            if sum == 6:
                end win(ann)
            end tie
        """,
        """
        rules:
            sum: 0..6 = 0
            for k in 1..3:
                sum += k
            if sum == 6:
                end win(ann)
            end tie
        """,
    ),
    "E0730": explanation(
        "the keys of a map",
        """A map is given a map or `{key: value}`, its keys in the domain; in play, a value for each
        key.""",
        """
        state:
            m: map[1..3, 0..9] = {4: 1}
        """,
        """
        state:
            m: map[1..3, 0..9] = {3: 1}
        """,
    ),
    "E0731": explanation(
        "what a bag is given",
        """A bag is given `{thing: number}`, a bag, or in the beginning a set or list of things, all of
        them things that may lie in it.""",
        """
        state:
            b: bag[1..3] = {4: 1}
        """,
        """
        state:
            b: bag[1..3] = {3: 1}
        """,
    ),
    "E0732": explanation(
        "what a function gives",
        """A function with statements that looks at play says what it gives, unless that is a truth
        value or a number: `fun f(...) -> type:`.""",
        """
        enum Suit: hearts, spades
        state:
            n: 0..9
        fun f():
            if n > 2:
                return hearts
            return spades
        rules:
            if f() == hearts:
                end tie
            end tie
        """,
        """
        enum Suit: hearts, spades
        state:
            n: 0..9
        fun f() -> Suit:
            if n > 2:
                return hearts
            return spades
        rules:
            if f() == hearts:
                end tie
            end tie
        """,
    ),
    "E0733": explanation(
        "a function with lists of its own",
        """A function that looks at play cannot make lists, bags or maps on the way; one that takes or
        gives a list is made of names, `if` and `return`. Write a comprehension, or let a rule do it
        in a state variable.""",
        """
        state:
            xs: list[0..9, 3]
        fun f() -> bool:
            ys: list[0..9, 4] = xs
            ys += [1]
            return len(ys) > 2
        rules:
            if f():
                end tie
            end tie
        """,
        """
        state:
            xs: list[0..9, 3]
        fun f() -> bool:
            return len(xs + [1]) > 2
        rules:
            if f():
                end tie
            end tie
        """,
    ),
}
