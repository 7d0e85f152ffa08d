"""Explanations E0721 to E0733: what play can be made of."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

LOWERING: dict[str, Explanation] = {
    "E0721": explanation(
        "a type that depends on the key",
        """From one key of a map to another, only the size of a range, list or bag may differ: `map[d in
        D, bag[T, f(d)]]`.""",
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
        """During play, a function of numbers with wide ranges becomes a table of all its cases, at most
        131,072 of them; here there are more. Narrow the ranges, or use only what can be done with
        numbers as such: sums, products, comparisons.""",
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
        "what a set can hold",
        """During play, sets hold elements of domains or small numbers, but neither numbers with wide
        ranges nor sets or lists.""",
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
        "recursion during play",
        """A function that calls itself during play says how many calls of it there may be inside each other,
        `recursive at most n`, and what it gives. A call beyond that is the fault `too_deep`.""",
        """
        state:
            n: 0..9
        fun f(k: 0..9) -> 0..9: n if k == 0 else f(k - 1)
        rules:
            if f(n) == 0:
                end tie
            end tie
        """,
        """
        state:
            n: 0..9
        fun f(k: 0..9) recursive at most 10 -> 0..9: n if k == 0 else f(k - 1)
        rules:
            if f(n) == 0:
                end tie
            end tie
        """,
    ),
    "E0725": explanation(
        "`turns` outside a loop",
        """`turns()` goes round and round without end, so it can be the source of a `for` but is not a
        value. `Player` is all players in their order.""",
        "const order = turns()",
        "const order = list(Player)",
    ),
    "E0726": explanation(
        "`while` during play",
        """A function that looks at the state has to come to an end, whatever it finds: write `repeat at
        most n:` with `break`. In a rule, a `while` belongs outside the loops and arms that are tried
        as a whole.""",
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
        "too many iterations",
        """A loop runs at most a million times without a decision or chance in between; play would seem
        to hang long before that.""",
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
        "not defined in this instance",
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
        """A local that is assigned more than once must declare which values it can take, so that
        positions stay finite.""",
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
        """A map is set to another map or to `{key: value}`, with a value for each of its keys. What is not
        given can have a default: after `m: map[1..3, 0..9 = 0]`, the line `m = {1: 7}` sets the other keys
        to 0, and `m = {}` all. To change some keys only, write `m |= {1: 7}`. (Before
        version 2 of the language, keys that were not given stayed as they were.)""",
        """
        state:
            m: map[1..3, 0..9]
        rules:
            m = {1: 7}
            end tie
        """,
        """
        state:
            m: map[1..3, 0..9 = 0]
        rules:
            m = {1: 7}
            end tie
        """,
    ),
    "E0731": explanation(
        "what a bag is set to",
        """A bag is set to `{thing: number}`, to another bag or, initially, to a set or list of things,
        all of which must be things that it can hold.""",
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
        "the type of a function's result",
        """A function with statements that looks at the state must declare the type of its result, unless
        that is a truth value or a number: `fun f(...) -> type:`.""",
        """
        enum Suit: clubs, spades
        state:
            n: 0..9
        fun f():
            if n > 2:
                return clubs
            return spades
        rules:
            if f() == clubs:
                end tie
            end tie
        """,
        """
        enum Suit: clubs, spades
        state:
            n: 0..9
        fun f() -> Suit:
            if n > 2:
                return clubs
            return spades
        rules:
            if f() == clubs:
                end tie
            end tie
        """,
    ),
    "E0733": explanation(
        "a function that builds lists",
        """A function that looks at the state cannot build lists, bags or maps on the way; one that takes
        or gives a list may consist only of names, `if` and `return`. Write a comprehension, or let a
        rule do it in a state variable.""",
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
    "E0774": explanation(
        "an expression that is too large",
        """In a function that takes a list, bag or map, a name stands for the expression that it was given,
        which is written out wherever the name is mentioned; so is the index in `xs[i]`. If names mention
        names twice, and these others, the whole outgrows everything. At most 100,000 operations are possible,
        and 500,000 in all rules and claims together. A rule works out what it keeps in a name, once.""",
        """
        state:
            xs: list[0..1, 3]
        fun f(xs):
            a = len(xs)
            b = a + a + a + a + a + a + a + a + a + a
            c = b + b + b + b + b + b + b + b + b + b
            d = c + c + c + c + c + c + c + c + c + c
            e = d + d + d + d + d + d + d + d + d + d
            return e + e + e + e + e + e + e + e + e + e
        rules:
            choose go by ann
            if f(xs) > 9:
                end win(ann)
            end tie
        """,
        """
        state:
            xs: list[0..1, 3]
        fun f(xs): 100000 * len(xs)
        rules:
            choose go by ann
            if f(xs) > 9:
                end win(ann)
            end tie
        """,
    ),
}
