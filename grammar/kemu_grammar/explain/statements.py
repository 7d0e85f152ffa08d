"""Explanations E08: the statements of the rulebook in rules.md, and the marks that cite them."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

NAME = "rules.md"

STATEMENTS: dict[str, Explanation] = {
    "E0801": explanation(
        "a statement that nothing cites",
        """Every statement of rules.md must be cited where the rules file carries it out: `## [C1]` above
        a declaration, `# [C1]` at the end of a line, or a reading of that name. A statement about
        something that play cannot show has the tag `note`.""",
        """
        rules:
            end tie  # [C1]
        """,
        """
        rules:
            end tie  # [C1]
        """,
        (
            "- **[A1]** The board is round.\n- **[C1]** Nobody wins.",
            "- **[A1]** (note) The board is round.\n- **[C1]** Nobody wins.",
        ),
        NAME,
    ),
    "E0802": explanation(
        "a worked example that nothing tries",
        """A statement with the tag `example` describes a play whose outcome the rulebook gives. It must
        be cited by what tries it: an `example`, a `property`, a `lemma`, an `assert` or a `check`.""",
        """
        rules:
            end tie  # [X1]
        """,
        """
        example "a tie":  # [X1]
            expect: winner is none
        rules:
            end tie
        """,
        ("- **[X1]** (example) The first game is a tie.",) * 2,
        NAME,
    ),
    "E0803": explanation(
        "an unknown statement",
        "A mark must name a statement of the rules.md that lies beside the rules file.",
        """
        rules:
            end tie  # [C2]
        """,
        """
        rules:
            end tie  # [C1]
        """,
        ("- **[C1]** (note) Nobody wins.",) * 2,
        NAME,
    ),
    "E0804": explanation(
        "two statements with the same number",
        "Each statement needs a number of its own, so that a mark names exactly one.",
        """
        rules:
            end tie  # [C1]
        """,
        """
        rules:
            end tie  # [C1] [C2]
        """,
        (
            "- **[C1]** Nobody wins.\n- **[C1]** Nobody loses.",
            "- **[C1]** Nobody wins.\n- **[C2]** Nobody loses.",
        ),
        NAME,
    ),
    "E0805": explanation(
        "a malformed statement",
        """A statement begins in the first column with its number: capital letters, then digits. Tags may
        follow in brackets, separated by `;`, and then comes its text, on one line or continued on
        indented lines below.""",
        """
        rules:
            end tie
        """,
        """
        rules:
            end tie
        """,
        ("- [C1] (note) Nobody wins.", "- **[C1]** (note) Nobody wins."),
        NAME,
    ),
    "E0806": explanation(
        "a mark that cites nothing",
        """A mark in a `##` comment directly above a declaration cites a statement for all of it; a mark
        in a comment at the end of a line cites one for that line. In a comment of its own anywhere
        else it cites nothing.""",
        """
        # [C1] how it ends
        rules:
            end tie  # [C1]
        """,
        """
        ## [C1] how it ends
        rules:
            end tie  # [C1]
        """,
        ("- **[C1]** Nobody wins.",) * 2,
        NAME,
    ),
}
