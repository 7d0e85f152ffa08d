"""The vocabulary: which words are reserved, which are keywords in some places only, and how tokens look.

Reserved everywhere: RESERVED. Every other word of the language is soft, a keyword only where one can stand
and a name anywhere else: DECLARATIONS in column 1, INFIX after an operand, HEADS at the start of a line,
others
before what they govern.
"""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


LONGEST_LINE = 10_000
LONGEST_TEXT = 2_000_000
DEEPEST = 100
MOST_DIGITS = 18

RESERVED = words("and or not implies in is none true false if elif else for while break continue pass return")
DECLARATIONS = words(
    "language proves game players option edition reading needs use instance domain enum record table const"
    " fun rule rules state check under property lemma example view"
)
INNER = words("const fun rule domain check property lemma example")  # may stand in an `under` block
FORMS = words("always never everywhere initially possible at_end terminates maximize")
FOREIGN_FORMS = {
    **dict.fromkeys(words("eventually sometimes sometime reachable exists can"), "possible"),
    **dict.fromkeys(words("globally invariant invariantly ensure must"), "always"),
    **dict.fromkeys(words("finally end"), "at_end"),
}
"""Words that stand for forms of claims elsewhere."""
DRAWN = words("off out towards fill edge size turned row heap stack")  # behind `draw`, and no loop variables
GOES_ON = DRAWN | words("at to")  # may begin a line that goes on from a `draw` above
INFIX: dict[str, frozenset[str]] = {  # a keyword after an operand, in these declarations (empty: in all)
    "by": frozenset(),
    "from": frozenset(),
    "to": frozenset(),
    "of": frozenset(),
    "at": frozenset({"view"}),
    **dict.fromkeys(DRAWN, frozenset({"view"})),
    "expect": frozenset({"property", "lemma"}),
    "forgetting": frozenset({"property", "lemma"}),
    "unique": frozenset({"state"}),
    "hidden": frozenset({"state"}),
    "secret": frozenset({"state"}),
}
ENDINGS = words("returns never can")  # what a run comes to, behind the rule that is run
HEADS: dict[str, frozenset[str]] = {  # a keyword at the start of a line of these declarations
    "example": frozenset({"at", "given", "do", "expect"}),
    "view": frozenset({"cell", "line", "draw"}),
    "state": frozenset({"each", "history"}),
}

TOKEN = re.compile(
    r"""(?P<space>[ ]+)|(?P<newline>\n)|(?P<comment>\#[^\n]*)
    |(?P<phrase>(?:is(?:[ ]+not)?[ ]+(?:some|none)|not[ ]+in|in[ ]+order[ ]+of
        |(?:repeat|recursive)[ ]+at[ ]+most|always[ ]+possible|ends[ ]+almost[ ]+surely
        |at[ ]+most|at[ ]+least)\b)
    |(?P<word>[^\W\d]\w*)|(?P<number>[0-9]+)
    |(?P<string>\"{3}(?:[^"]|"(?!""))*\"{3}|"(?!"")(?:[^"\\\n]|\\[^\n])*")
    |(?P<mark>\.\.|->|\*\*|//|==|!=|<=|>=|\+=|-=|\|=|&=|[-+*%&|<>=()\[\]{}:;,.?])""",
    re.VERBOSE,
)
MARKS = {
    "..": "DOTS", "->": "ARROW", "**": "POWER", "//": "FLOOR_DIV", "==": "EQ", "!=": "NE", "<=": "LE",
    ">=": "GE", "+=": "ASSIGN", "-=": "ASSIGN", "|=": "ASSIGN", "&=": "ASSIGN", "-": "MINUS",
    "+": "PLUS", "*": "STAR", "%": "PERCENT", "&": "AND_SIGN", "|": "BAR", "<": "LT", ">": "GT",
    "=": "EQUAL", "(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB", "{": "LBRACE", "}": "RBRACE",
    ":": "COLON", ";": "SEMICOLON", ",": "COMMA", ".": "DOT", "?": "QUESTION",
}  # fmt: skip
CLOSER = {"LPAR": ")", "LSQB": "]", "LBRACE": "}"}
OPENER = {"RPAR": "LPAR", "RSQB": "LSQB", "RBRACE": "LBRACE"}
OPERAND_END = words("NAME NUMBER STRING RPAR RSQB RBRACE QUESTION NONE TRUE FALSE PRESENCE UNIQUE")
LINE_START = words("_NEWLINE _INDENT _DEDENT")
STATEMENT_START = LINE_START | {"SEMICOLON", "COLON"}
DEEPENS = words("POWER FLOOR_DIV MINUS PLUS STAR PERCENT AND_SIGN BAR DOT NOT IMPLIES ELSE DOTS QUESTION")
SEPARATES = words("COMMA SEMICOLON COLON _NEWLINE EQUAL ASSIGN FOR AND OR")
FOLLOWS_PATH = re.compile(r"[ ]+[^\W\d]\w*[ ]+in\b")
FOLLOWS_PREFIX = re.compile(r"[ ]+(?!(?:if|by|and|or|in|is|else|for|implies|at)\b)[\w(\[{\"]|[ ]+-[\w(]")
FOLLOWS_CAN = re.compile(r"[ ]+(?!(?:if|by|and|or|in|is|not|else|for|implies|at|to|from|of|after)\b)[^\W\d]")
FOLLOWS_CHOICE = re.compile(r"[ ]+[\w(-]")
FOLLOWS_MOST = re.compile(r"[ ]+(?!(?:if|and|or|in|is|not|implies|after)\b)[\w(]|[ ]+-[\w(]")
FOLLOWS_NAME = re.compile(r"[ ]+(?!in\b)\w")
FOLLOWS_TARGET = re.compile(r"[ ]+in\b|[ ]*,")
FOLLOWS_WORD = re.compile(r"[ ]+\w")
FOLLOWS_INNER = re.compile(r"[ ]+[\w\"]")
FOLLOWS_CHOOSE = re.compile(
    r"[ ]*:|[ ]+\w"
    r"|[ ]*\([ ]*\w+[ ]+in\b(?:[^()\n]|\([^()\n]*\))*\)[ ]*(?::|(?:by|if|where)\b)"  # no call of a rule
)
FOLLOWS_AGAIN = re.compile(r"[ ]*(?:[;#\n]|$)")
FOLLOWS_ANY = re.compile(r"[ ]+any\b")
FOLLOWS_LEGAL = re.compile(r"[ ]*==|[ ]+\w")
FOLLOWS_MAY = re.compile(r"[ ]+choose\b")
FOLLOWS_NOTE = re.compile(r"[ ]+(?!(?:if|and|or|in|is|not|of|implies)\b)[^\W\d]")
FOLLOWS_SEALED = re.compile(r"[ ]+(?:may[ ]+)?choose\b")
FOLLOWS_TOGETHER = re.compile(r"[ ]+for\b")
FOLLOWS_REQUIRE = re.compile(r"[ ]*[\w(\[{-]")
NEXT_DECLARATION = re.compile(rf"^(?:{'|'.join(sorted(DECLARATIONS))})(?=[ :\"]|$)", re.MULTILINE)
MARK = re.compile(r"\[([A-Z]+[0-9]+[a-z]?)\]")
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\ufffe\uffff\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
