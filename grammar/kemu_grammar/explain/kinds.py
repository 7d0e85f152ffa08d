"""Explanations E04: kinds of values."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

KINDS: dict[str, Explanation] = {
    "E0401": explanation(
        "a truth value is needed",
        """Conditions are true or false; numbers, sets and players are not. Compare with something, or ask
        with
        `is some` or `len(...) > 0`.""",
        "fun empty(n: 0..9): not n",
        "fun empty(n: 0..9): not n > 0",
    ),
    "E0402": explanation(
        "what an operator takes",
        """Arithmetic is for numbers and points, `|`, `&` and `-` also for sets, `+` also for lists.
        Truth values cannot be added: `len({x for x in ... if ...})` counts.""",
        "fun count_up(n: 0..9): n + (n > 3)",
        "fun count_up(n: 0..9): n + (1 if n > 3 else 0)",
    ),
    "E0403": explanation(
        "a comparison that can only fail",
        "Values of different kinds are never equal, and only numbers have an order.",
        "enum Suit: clubs, spades\nenum Dir: up, down\nfun odd_one(s: Suit): s == up",
        "enum Suit: clubs, spades\nenum Dir: up, down\nfun odd_one(s: Suit): s == spades",
    ),
    "E0404": explanation(
        "an index of the wrong kind",
        "A map is indexed by its keys, a list by a number; a set has no order and no index.",
        """
        state:
            shells: map[Player, 0..9]
        fun rich(n: 0..9): shells[n] > 5
        """,
        """
        state:
            shells: map[Player, 0..9]
        fun rich(p: Player): shells[p] > 5
        """,
    ),
    "E0405": explanation(
        "a value of the wrong kind",
        "What is stored, passed or returned must be of the kind that was declared.",
        """
        state:
            pool: 0..9 = true
        """,
        """
        state:
            pool: 0..9 = 9
        """,
    ),
    "E0406": explanation(
        "a function that is not called",
        "The name of a function is not its value: call it, even if it takes no arguments.",
        "fun over: len(Player) > 2\nfun going: not over",
        "fun over: len(Player) > 2\nfun going: not over()",
    ),
    "E0407": explanation(
        "unique, but not a map",
        "`unique` says that no two keys of a map hold the same value.",
        """
        state:
            pool: 0..9 unique
        """,
        """
        state:
            seat: map[Player, 0..9] unique
        """,
    ),
    "E0408": explanation(
        "not a collection",
        """Loops, comprehensions and `in` go through sets, lists, maps, bags, domains and ranges. The
        numbers up to n are `1..n`.""",
        "const squares = [n * n for n in 5]",
        "const squares = [n * n for n in 1..5]",
    ),
    "E0409": explanation(
        "a function out of place",
        "`x -> e` may be used only where a function is expected, as the step of a `closure`.",
        "const many = len(n -> {n * 2})",
        "const near = closure({1}, n -> {n + 2} if n < 9 else {})",
    ),
    "E0410": explanation(
        "a history is no value",
        """What has been noted in a history is known only by how often the present stands in it:
        `times(seen)`. `note seen` adds the present, `forget seen` empties it; nothing else can be done
        with a history, and only with one.""",
        """
        state:
            n: 0..9
            history seen of n
        rule go():
            note seen
            if len(seen) >= 3:
                end tie
        """,
        """
        state:
            n: 0..9
            history seen of n
        rule go():
            note seen
            if times(seen) >= 3:
                end tie
        """,
    ),
    "E0411": explanation(
        "what a history is of",
        """A history is of state variables: of those that it names, each once, or of all if it names none.
        They are no histories themselves, and no secrets: how often they have been would tell of them.""",
        """
        state:
            hand: 0..9 hidden
            n: 0..9
            history seen of hand, n
        """,
        """
        state:
            hand: 0..9 hidden
            n: 0..9
            history seen of n
        """,
    ),
}
