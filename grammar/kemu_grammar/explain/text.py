"""Explanations E01: the text of a rules file."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

TEXT: dict[str, Explanation] = {
    "E0101": explanation(
        "a tab in the indentation",
        """Indentation marks the blocks, and editors disagree about how wide a tab is. Indent with
        spaces, four for each level.""",
        "rules:\n\tend tie",
        "rules:\n    end tie",
    ),
    "E0102": explanation(
        "not text",
        """A rules file is text in UTF-8. This one holds bytes or control characters that no editor writes:
        perhaps
        the wrong file was named.""",
    ),
    "E0103": explanation(
        "a line that is too long",
        "A line has at most 10,000 characters. Break it inside brackets, or use a table.",
    ),
    "E0104": explanation("a file that is too long", "A rules file has at most two million characters."),
    "E0105": explanation(
        "quotes",
        """A text is written between double quotes and ends on the line on which it begins; a text of
        several lines is written between triple quotes.""",
        "const name = 'north'",
        'const name = "north"',
    ),
    "E0106": explanation(
        "a character without a meaning",
        "Some characters of other languages are written differently here: `not` for `!`, `**` for `^`.",
        "fun quiet(x: bool): !x",
        "fun quiet(x: bool): not x",
    ),
    "E0107": explanation(
        "brackets that do not match",
        """Every bracket is closed by its own kind, before the next declaration begins. Inside brackets
        lines may be broken freely, so a bracket left open would swallow the lines after it.""",
        "const edge = {(1, 2), (2, 1",
        "const edge = {(1, 2), (2, 1)}",
    ),
    "E0108": explanation(
        "too deeply nested",
        """Expressions can be at most a hundred operations or brackets deep, and blocks twenty-five. Give
        a part a name: a `fun`, a `const` or a local.""",
    ),
    "E0109": explanation(
        "a number that is too long", "Numbers have at most 18 digits, so that they fit into 63 bits."
    ),
    "E0110": explanation(
        "indentation",
        """A declaration begins in column 1. The lines of a block are indented alike, and a line that is
        indented less must line up with a block above.""",
        """
        rules:
                x = 1
            end tie
        """,
        """
        rules:
            x = 1
            end tie
        """,
    ),
    "E0111": explanation(
        "division",
        "All numbers are whole. `//` divides and rounds down, `%` gives the remainder.",
        "fun half(n: 0..10): n / 2",
        "fun half(n: 0..10): n // 2",
    ),
}
