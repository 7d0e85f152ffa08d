"""Explanations E06: properties, examples, views."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

CLAIMS: dict[str, Explanation] = {
    "E0601": explanation(
        "an unknown decision",
        """`at` is followed by the name of an action, of a rule that contains a decision, or of what is
        rolled or drawn.""",
        "property early: at plac always true",
    ),
    "E0602": explanation(
        "an unknown action",
        "The steps of an example are actions that some `choose` offers.",
        """
        example "one":
            do: tak(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
        """
        example "one":
            do: take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0603": explanation(
        "the parameters of an action",
        "A step gives a value for each parameter of the action.",
        """
        example "one":
            do: take(1, 2)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
        """
        example "one":
            do: take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0604": explanation(
        "an unknown verdict",
        """`expect` names the verdict that you expect, most often `refuted` or `impossible`; or it is
        `any`.""",
        "property dull expect wrong: always false",
        "property dull expect refuted: always false",
    ),
    "E0605": explanation(
        "an unknown player",
        "An action may be preceded by the player who acts.",
        """
        example "one":
            do: bob take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
        """
        example "one":
            do: ann take(1)
        rules:
            choose take(n in 1..3) by ann
            end tie
        """,
    ),
    "E0606": explanation(
        "a name that is unknown there",
        "`at LABEL, name = value` sets locals that have a value at that decision.",
        """
        example "one":
            at take, q = ann:
            expect: true
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
        """
        example "one":
            at take, p = ann:
            expect: true
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
    ),
    "E0609": explanation(
        "a name of a rule where an example expects something",
        """What an example expects is said of a position: of state variables, functions of them, `winner`.
        Parameters, locals and the variables of loops have no value there, nor those that `at` gives. Who is
        to move is said before an action, `legal ann take(1)`; a number that matters belongs into a state
        variable or a function.""",
        """
        example "one":
            at take, p = ann:
            expect: p == ann
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
        """
        example "one":
            at take, p = ann:
            expect: legal ann take(1)
        rules:
            for p in turns():
                choose take(n in 1..3)
        """,
    ),
    "E0607": explanation(
        "an unknown standard question",
        """A property without a claim states the expected answer to a question that is asked about every
        game: `no_fault`, `never_stuck`, `terminates`, `ends_almost_surely` (about games with chance),
        `action_possible` (also about one action: `action_possible(leave)`), `branch_possible`,
        `result_determined`, `informed`, `no_leak`.""",
        "property terminate expect refuted",
        "property terminates expect refuted",
    ),
    "E0608": explanation(
        "running or forgetting the wrong thing",
        """`from any if ...: run rule(...)` runs one rule by itself, and may forget functions that the
        rule looks at.""",
        """
        state:
            n: 0..9 = 3
        fun uneven(): n % 2 == 1
        property down: from any if uneven(): run uneven() returns
        """,
        """
        state:
            n: 0..9 = 3
        fun uneven(): n % 2 == 1
        rule lower():
            while n > 0:
                n -= 1
        property down: from any if uneven(): run lower() returns
        """,
    ),
    "E0610": explanation(
        "an unknown word about drawing",
        "What can be drawn has a name, as `square`, `disc`, `arrow`; docs/drawing.md has them all.",
        """
        view v:
            draw dics x in 1..3 at (x, 1)
        """,
        """
        view v:
            draw disc x in 1..3 at (x, 1)
        """,
    ),
    "E0611": explanation(
        "how something is drawn",
        """Most shapes lie at one place, `at (x, y)`; lines, curves and arrows go on `to` others; a seat and a
        note lie beside the board. Each word about a shape is said once.""",
        """
        view v:
            draw line at (1, 1)
        """,
        """
        view v:
            draw line at (1, 1) to (3, 1)
        """,
    ),
}
