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
}
