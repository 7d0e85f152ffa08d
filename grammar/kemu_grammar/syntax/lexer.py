"""Cutting a text into tokens: one list a declaration, with indentation, comments kept aside."""

from __future__ import annotations

from dataclasses import dataclass, field

from lark import Token

from kemu_grammar.source.diagnostics import Diagnostic, offsets
from kemu_grammar.source.keywords import (
    CLOSER,
    DECLARATIONS,
    DEEPENS,
    DEEPEST,
    DRAWN,
    ENDINGS,
    FOLLOWS_AGAIN,
    FOLLOWS_ANY,
    FOLLOWS_CAN,
    FOLLOWS_CHOICE,
    FOLLOWS_CHOOSE,
    FOLLOWS_INNER,
    FOLLOWS_LEGAL,
    FOLLOWS_MAY,
    FOLLOWS_MOST,
    FOLLOWS_NAME,
    FOLLOWS_NOTE,
    FOLLOWS_PATH,
    FOLLOWS_PREFIX,
    FOLLOWS_REQUIRE,
    FOLLOWS_SEALED,
    FOLLOWS_TARGET,
    FOLLOWS_TOGETHER,
    FOLLOWS_WORD,
    FORMS,
    GOES_ON,
    HEADS,
    INFIX,
    INNER,
    LINE_START,
    MARK,
    MARKS,
    MOST_DIGITS,
    NEXT_DECLARATION,
    OPENER,
    OPERAND_END,
    RESERVED,
    SEPARATES,
    STATEMENT_START,
    TOKEN,
)
from kemu_grammar.syntax.ast import Span
from kemu_grammar.syntax.faults import Fault, limits, span_of, strange, tabbed, unclosed, unlevel
from kemu_grammar.syntax.foreign_comments import at_a_line_start


@dataclass(slots=True)
class Chunk:
    """A declaration's tokens. `word`: its first word. `fault`: why it could not be cut into tokens."""

    word: str
    start: int
    tokens: list[Token] = field(default_factory=list)
    fault: Diagnostic | None = None
    end: int = 0


@dataclass(slots=True)
class Scan:
    """`docs`: line -> text of a `##` comment. `citations`: line -> the marks of its comment."""

    chunks: list[Chunk]
    docs: dict[int, str]
    citations: dict[int, tuple[str, ...]]


class Lexer:
    """Cuts a text into tokens. One use each; no state is shared."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.docs: dict[int, str] = {}
        self.citations: dict[int, tuple[str, ...]] = {}
        self.line, self.line_start = 1, 0
        self.chunk = Chunk("", 0)
        self.heads: list[str] = []
        self.brackets: list[tuple[Token, int, int]] = []
        self.inner = False  # whether an expression in a text is read
        self.depth = self.peak = 0
        self.heading = ""
        self.claiming = False
        self.starting = ""

    def scan(self) -> Scan:
        """The whole text. Never raises; a fault is kept in its chunk."""
        fault = limits(self.text, self.file)
        if fault is not None:
            return Scan([Chunk("", 0, fault=fault)], {}, {})
        chunks: list[Chunk] = []
        position = 0
        while position < len(self.text):
            self.chunk = Chunk("", position)
            try:
                position = self._run(position, len(self.text), inner=False)
            except Fault as fault_:
                self.chunk.fault = fault_.diagnostic
                position = self._skip(max(position + 1, fault_.resume))
            self.chunk.end = position
            if self.chunk.tokens or self.chunk.fault:
                chunks.append(self.chunk)
        return Scan(chunks, self.docs, self.citations)

    def expression(self, start: int, end: int, line: int, line_start: int) -> list[Token]:
        """The tokens of an expression inside a text's braces. Raises `Fault`."""
        self.line, self.line_start, self.chunk = line, line_start, Chunk("", start)
        self._run(start, end, inner=True)
        return self.chunk.tokens

    # ------------------------------------------------------------------------------------ whole text

    def _skip(self, position: int) -> int:
        """On to the next line that begins a declaration."""
        found = NEXT_DECLARATION.search(self.text, position)
        goal = found.start() if found else len(self.text)
        skipped = self.text[self.line_start : goal].split("\n")
        for offset, line in enumerate(skipped):
            if line.startswith("##"):
                self._comment(line, self.line + offset, True)
        self.line += len(skipped) - 1
        self.line_start = goal
        return goal

    def _comment(self, text: str, line: int, alone: bool) -> None:
        marks = tuple(MARK.findall(text))
        if alone and text.startswith("##"):
            self.docs[line] = text[2:].strip()
        elif marks:
            self.citations[line] = marks

    # ------------------------------------------------------------------------------- one declaration

    def _run(self, position: int, end: int, inner: bool) -> int:
        """Tokens from `position` on, to the next declaration; with `inner`, an expression up to `end`."""
        text, chunk, match = self.text, self.chunk, TOKEN.match
        self.inner = inner
        indents: list[int] = [0]
        self.heads = [""]  # the first word of the last line, one an indentation
        self.brackets = []
        self.depth = self.peak = 0  # of the expression at hand; of those before it in the same bracket
        self.heading = ""  # the word of the innermost declaration
        self.claiming = False  # in a property, the colon is behind us and the form still to come
        self.starting = ""  # the last word of `from any ...: run ...` that was met
        fresh = not inner  # at the start of a line
        while position < end:
            if fresh:
                fresh = False
                stop = self._indentation(position, indents)
                if stop is not None:
                    return stop
            found = match(text, position, end)
            if found is None:
                raise strange(self.text, position, self.line_start, self._span)
            kind, value = found.lastgroup, found.group()
            here, position = position, found.end()
            if kind == "space":
                continue
            if kind == "comment":
                self._comment(value, self.line, not text[self.line_start : here].strip())
                continue
            if kind == "newline":
                if not self.brackets and chunk.tokens and self._previous() not in LINE_START:
                    self._deepen(self._add("_NEWLINE", "\n", here))
                self.line += 1
                self.line_start = position
                fresh = not self.brackets
                if self.brackets and NEXT_DECLARATION.match(text, position):
                    raise unclosed(self.text, self.brackets[-1][0], self.file, position)
                continue
            begins = not self.brackets and self._previous() in LINE_START
            if begins and not inner and value[0] in '/-"':
                self._no_comment(here)
            token = self._token(str(kind), value, here, len(indents))
            position = token.end_pos or position
            if kind == "string" and "\n" in value:
                self.line, self.line_start = token.end_line or self.line, here + value.rfind("\n") + 1
            if begins:
                self.heads[-1] = "choose" if token.type in ("CHOOSE", "MAY", "SEALED") else str(token)
            self._deepen(token)
        if self.brackets:
            raise unclosed(self.text, self.brackets[-1][0], self.file, position)
        if not inner:
            self._finish(indents)
        return position

    def _token(self, kind: str, value: str, start: int, level: int) -> Token:
        if kind == "word":
            return self._add(self._word(value, start + len(value), level), value, start)
        if kind == "phrase":
            return self._phrase(value, start)
        if kind == "mark":
            return self._mark(value, start)
        if kind == "number" and len(value) > MOST_DIGITS:
            span = self._span(start, start + len(value))
            raise Fault(Diagnostic("E0109", span, f"a number has at most {MOST_DIGITS} digits"), start)
        return self._add(kind.upper(), value, start)

    def _indentation(self, position: int, indents: list[int]) -> int | None:
        """At the start of a line: INDENT, DEDENTs, or (a new declaration) the place where this one ends."""
        text = self.text
        column = position
        while column < len(text) and text[column] == " ":
            column += 1
        if column >= len(text) or text[column] in "\n#":
            return None
        if text[column] == "\t":
            raise Fault(tabbed(text, position, indents, self._previous(2) == "COLON", self._span), column)
        depth = column - position
        tokens = self.chunk.tokens
        if depth == 0 and tokens:
            self._finish(indents)
            return position
        if depth and not tokens:
            span = self._span(position, column)
            message = "unexpected indentation: a declaration begins in column 1"
            raise Fault(Diagnostic("E0110", span, message, fix=(span, "")), column)
        if depth > indents[-1]:
            if len(indents) > DEEPEST // 4:
                raise Fault(
                    Diagnostic("E0108", self._span(position, column), "this is indented too deeply"), column
                )
            indents.append(depth)
            self.heads.append("")
            self._add("_INDENT", text[position:column], position)
        else:
            known = list(indents)
            while depth < indents[-1]:
                indents.pop()
                self.heads.pop()
                self._add("_DEDENT", "", column)
            if depth != indents[-1]:
                span = self._span(position, column)
                message = unlevel(depth, known)
                raise Fault(Diagnostic("E0110", span, message), column)
        return None

    def _finish(self, indents: list[int]) -> None:
        tokens = self.chunk.tokens
        if not tokens:
            return
        last = tokens[-1]
        if last.type not in ("_NEWLINE", "_DEDENT"):
            tokens.append(
                _token("_NEWLINE", "\n", last.end_pos or 0, last.end_line or 1, last.end_column or 1)
            )
            last = tokens[-1]
        for _ in indents[1:]:
            tokens.append(_token("_DEDENT", "", last.start_pos or 0, last.line or 1, last.column or 1))

    # ---------------------------------------------------------------------------------------- tokens

    def _add(self, type_: str, value: str, start: int) -> Token:
        token = _token(type_, value, start, self.line, start - self.line_start + 1)
        self.chunk.tokens.append(token)
        return token

    def _previous(self, n: int = 1) -> str:
        return self.chunk.tokens[-n].type if len(self.chunk.tokens) >= n else "_NEWLINE"

    def _word(self, word: str, end: int, level: int) -> str:
        """The type of a word that ends at `end`: a keyword where one can stand, else NAME."""
        previous, chunk = self._previous(), self.chunk
        if not chunk.tokens and not self.inner:
            chunk.word = self.heading = word
            if word in DECLARATIONS:
                return word.upper()
        if word in RESERVED:
            return "OTHERWISE" if word == "else" and self._answers_choose(previous) else word.upper()
        if self._asks(word, previous, end):
            return word.upper()
        if word == "together" and previous == "CHOOSE" and FOLLOWS_TOGETHER.match(self.text, end):
            return "TOGETHER"
        if self.brackets or self.inner:
            opens = previous in ("LPAR", "COMMA")
            return "INOUT" if word == "inout" and opens and FOLLOWS_NAME.match(self.text, end) else "NAME"
        if self.starting or (word == "from" and self._form_due(previous)):
            type_ = self._running(word, previous, end)
            if type_:
                return type_
        if self._form_due(previous) and (word in FORMS or word == "at"):
            if word in FORMS:
                self.claiming = False
                return word.upper()
            return "AT" if previous != "NAME" else "NAME"
        if previous in LINE_START and word in GOES_ON and self.heads[-2:-1] == ["draw"]:
            return word.upper()
        if previous in LINE_START:
            inner = chunk.word == "under"
            if level == 2 + inner and word in HEADS.get(self.heading, ()):
                soft = self.heading == "state" and not FOLLOWS_WORD.match(self.text, end)
                return "NAME" if soft else word.upper()
            if inner and word in INNER and FOLLOWS_INNER.match(self.text, end):
                self.heading = word
                return word.upper()
        if self.heads[-1] == "path" and (word, previous) in (("may", "COMMA"), ("stop", "MAY")):
            return word.upper()
        if word == "on" and previous == "DRAW" and FOLLOWS_NAME.match(self.text, end):
            return "ON"
        if word in INFIX and self._infix(word, previous, end):
            return word.upper()
        if previous in STATEMENT_START or previous in ("EQUAL", "ASSIGN", "MAY", "SEALED"):
            return self._prefix(word, previous, end)
        if word == "most" and previous == "REQUIRE":
            return "MOST" if FOLLOWS_MOST.match(self.text, end) else "NAME"
        if word == "all" and previous == "MOVE" and FOLLOWS_PREFIX.match(self.text, end):
            return "ALL"
        return "NAME"

    def _asks(self, word: str, previous: str, end: int) -> bool:
        """Whether this is `can` or `after` in an expression, or, in brackets, the `by` of a `can`."""
        if word == "can":
            return previous not in OPERAND_END and FOLLOWS_CAN.match(self.text, end) is not None
        if previous not in OPERAND_END:
            return False
        if word == "by" and (self.brackets or self.inner):
            return FOLLOWS_CHOICE.match(self.text, end) is not None
        return word == "after" and FOLLOWS_WORD.match(self.text, end) is not None

    def _answers_choose(self, previous: str) -> bool:
        return previous in LINE_START and not self.brackets and self.heads[-1] == "choose"

    def _form_due(self, previous: str) -> bool:
        if not self.claiming:
            return False
        return previous in ("COLON", "_INDENT") or self._after_labels()

    def _after_labels(self) -> bool:
        """Whether what comes last is `at LABEL, LABEL, ...`."""
        types = [token.type for token in reversed(self.chunk.tokens)]
        at = 0
        while types[at : at + 2] == ["NAME", "COMMA"]:
            at += 2
        return types[at : at + 2] == ["NAME", "AT"]

    def _running(self, word: str, previous: str, end: int) -> str:
        """The type of a keyword of `from any if ...: run rule(...) never returns`; nothing for others."""
        due = {
            "from": not self.starting and FOLLOWS_ANY.match(self.text, end) is not None,
            "any": previous == "FROM",
            "run": self.starting == "any" and previous in ("COLON", "_INDENT"),
        }.get(word, False)
        if due:
            self.claiming, self.starting = False, word
        elif self.starting == "run" and word in ENDINGS:
            due = previous in OPERAND_END or (word == "returns" and previous == "NEVER")
        return word.upper() if due else ""

    def _infix(self, word: str, previous: str, end: int) -> bool:
        where = INFIX[word]
        if where and self.heading not in where:
            return False
        if word in DRAWN and FOLLOWS_TARGET.match(self.text, end):
            return False
        if previous in OPERAND_END:
            return True
        if word == "by":
            before = ("CHOOSE", "TERMINATES", "ENDS_ALMOST_SURELY", "RETURNS")
            return previous in before and FOLLOWS_CHOICE.match(self.text, end) is not None
        return (word == "from" and previous in ("DRAW", "ALL")) or (word == "to" and previous == "SECRET")

    def _prefix(self, word: str, previous: str, end: int) -> str:
        """The type of a word where a statement or the right-hand side of an assignment begins."""
        text = self.text
        if word in ("roll", "draw", "reveal"):
            return word.upper() if FOLLOWS_PREFIX.match(text, end) else "NAME"
        if previous in ("EQUAL", "ASSIGN"):
            return "NAME"
        if self.heading == "example" and word in ("legal", "illegal"):
            return word.upper() if FOLLOWS_LEGAL.match(text, end) else "NAME"
        if word == "choose":
            return "CHOOSE" if FOLLOWS_CHOOSE.match(text, end) else "NAME"
        if word == "again":
            return "AGAIN" if FOLLOWS_AGAIN.match(text, end) else "NAME"
        if word == "may":
            return "MAY" if FOLLOWS_MAY.match(text, end) else "NAME"
        if word == "sealed":
            return "SEALED" if FOLLOWS_SEALED.match(text, end) else "NAME"
        if word == "path":
            return "PATH" if FOLLOWS_PATH.match(text, end) else "NAME"
        if word in ("note", "forget"):
            return word.upper() if FOLLOWS_NOTE.match(text, end) else "NAME"
        if word == "require":
            return "REQUIRE" if FOLLOWS_REQUIRE.match(text, end) else "NAME"
        if word == "like":
            return "LIKE" if self.heading == "instance" and FOLLOWS_WORD.match(text, end) else "NAME"
        if word in ("move", "end") or (word == "assert" and self.heading in ("rule", "rules", "fun")):
            return word.upper() if FOLLOWS_PREFIX.match(text, end) else "NAME"
        return "NAME"

    def _phrase(self, phrase: str, start: int) -> Token:
        """Several words that make one keyword; where they do not, only the first of them."""
        words = phrase.split()
        previous = self._previous()
        if words[0] == "is":
            type_ = "PRESENCE"
        elif words[0] in ("not", "in"):
            type_ = "NOT_IN" if words[0] == "not" else "IN_ORDER_OF"
        elif words[0] == "repeat" and previous in STATEMENT_START:
            type_ = "REPEAT_AT_MOST"
        elif words[0] == "recursive" and self.heading == "fun" and previous in OPERAND_END:
            type_ = "RECURSIVE_AT_MOST"
        elif words == ["at", "most"] and self.heads[-1] == "path" and previous in OPERAND_END:
            type_ = "AT_MOST"
        elif self._form_due(previous):
            type_, self.claiming = "_".join(words).upper(), False
        else:
            return self._add("NAME", words[0], start)
        token = self._add(type_, " ".join(words), start)
        token.end_pos, token.end_column = start + len(phrase), start - self.line_start + 1 + len(phrase)
        return token

    def _mark(self, mark: str, start: int) -> Token:
        type_ = MARKS[mark]
        token = self._add(type_, mark, start)
        span = self._span(start, start + len(mark))
        if type_ in CLOSER:
            if len(self.brackets) >= DEEPEST:
                raise Fault(Diagnostic("E0108", span, f"brackets are nested more than {DEEPEST} deep"), start)
            self.brackets.append((token, self.depth, self.peak))
            self.depth = self.peak = 0
        elif type_ in OPENER:
            if not self.brackets:
                raise Fault(Diagnostic("E0107", span, f"this `{mark}` closes nothing", fix=(span, "")), start)
            opener, depth, peak = self.brackets.pop()
            if opener.type != OPENER[type_]:
                wanted = CLOSER[opener.type]
                note = (span_of(opener, self.file), "opened here")
                message = f"`{mark}` where `{wanted}` should close the bracket"
                raise Fault(Diagnostic("E0107", span, message, (note,), (span, wanted)), start)
            self.depth, self.peak = max(depth, self.depth, self.peak) + 1, peak
            self._not_too_deep(token)
        elif type_ == "COLON" and not self.brackets and self.heading in ("property", "lemma"):
            self.claiming, self.starting, self.heading = True, "", "claim"
        return token

    def _deepen(self, token: Token) -> None:
        """An upper bound of the depth of the expression so far, so that no later pass runs out of stack."""
        if token.type in SEPARATES:
            self.peak, self.depth = max(self.peak, self.depth), 0
            if token.type == "_NEWLINE":
                self.peak = 0
        elif token.type in DEEPENS:
            self.depth += 1
            self._not_too_deep(token)

    def _not_too_deep(self, token: Token) -> None:
        if self.depth > DEEPEST:
            message = f"this expression is more than {DEEPEST} operations deep; give a part of it a name"
            raise Fault(Diagnostic("E0108", span_of(token, self.file), message), token.start_pos or 0)

    # ---------------------------------------------------------------------------------------- faults

    def _no_comment(self, position: int) -> None:
        """That a line does not begin with a comment of another language."""
        comment = at_a_line_start(self.text, position, self._span)
        if comment is not None:
            raise Fault(comment, offsets(comment.span, self.text)[1])

    def _span(self, start: int, end: int) -> Span:
        first = start - self.line_start + 1
        lines, column = self.text.count("\n", start, end), end - self.text.rfind("\n", 0, end)
        return Span(self.file, self.line, first, self.line + lines, column)


def _token(type_: str, value: str, start: int, line: int, column: int) -> Token:
    if value == "\n":
        return Token(type_, value, start, line, column, line, column, start)
    more, last = value.count("\n"), len(value) - value.rfind("\n")  # of a text, its lines
    return Token(
        type_,
        value,
        start,
        line,
        column,
        line + more,
        last if more else column + len(value),
        start + len(value),
    )
