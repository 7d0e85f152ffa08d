"""The examples in the documentation: found, run, compared whole, and renewed.

    python -m tests.docs               # says which examples do not show what they give
    python -m tests.docs regenerate    # and puts what they give in their place

Examples are blocks of three kinds: `console` (commands of kemu and Python, and what they print, in a folder
of the page), `pycon` (a session with Python; those of a page are one session) and `python` (a script that
must run). A block whose opening names a file, `kemu ttt.kemu append`, is what the reader types into it. What
a command prints is compared line by line. Only times differ from run to run; a line `...` stands for any
number of lines, also where the page is renewed.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(r"^```(kemu|console|markdown|pycon|python)([^\n]*)\n(.*?)^```$", re.M | re.S)
SECONDS = re.compile(
    r"(?<![\w.])\d+\.\d+ s\b"  # a time
    r"|\d[\d,]* (?:\w+ )?a second"  # a pace
    r"|\s+\d+\.\d\d(?=(\s+\d+/\d+)?$)"  # the column `seconds` of a table of verdicts
    r"|(?<=^\(shared\)).*"  # the row of what its questions share
)
"""What differs from run to run."""
PROMPT = re.compile(r"^(\w+> )(.+)$")
ANY = "..."


def untimed(line: str) -> str:
    """A line without the times in it."""
    return SECONDS.sub(" _", line.rstrip())


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed, but for times, and for a line `...`."""
    if ANY not in shown:
        return list(map(untimed, shown)) == list(map(untimed, printed))
    at = shown.index(ANY)
    head, tail = shown[:at], shown[at + 1 :]
    starts = range(at, len(printed) + 1)
    return agrees(head, printed[:at]) and any(agrees(tail, printed[start:]) for start in starts)


def renewed(shown: list[str], printed: list[str]) -> list[str]:
    """The lines to show instead: all, or as many before the first and after the last `...` as there were."""
    if agrees(shown, printed):
        return shown
    if ANY not in shown:
        return printed
    before, after = shown.index(ANY), shown[::-1].index(ANY)
    return [*printed[:before], ANY, *printed[len(printed) - after :]]


# ---------------------------------------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class Command:
    """A command, the lines that the page shows behind it, and the exit code that it is said to have."""

    line: int
    text: str
    shown: tuple[str, ...]
    code: int

    @property
    def typed(self) -> str:
        """What a person types while it runs."""
        return "".join(found[2] + "\n" for line in self.shown if (found := PROMPT.match(line)))


def commands(body: str, line: int) -> Iterator[Command]:
    """The commands of a block; `echo $?` tells the exit code of the one before it."""
    found: list[tuple[int, str, list[str]]] = []
    for number, text in enumerate(body.splitlines(), line):
        if text.startswith("$ "):
            found.append((number, text[2:], []))
        else:
            found[-1][2].append(text)
    for at, (number, text, shown) in enumerate(found):
        if text != "echo $?":
            follows = found[at + 1] if at + 1 < len(found) and found[at + 1][1] == "echo $?" else None
            yield Command(number, text, tuple(shown), int("".join(follows[2])) if follows else 0)


def run(command: Command, folder: Path) -> tuple[list[str], int]:
    """The lines that a command prints, with what is typed into it, and its exit code."""
    name, *arguments = shlex.split(command.text)
    starts = {"kemu": ["-m", "kemu"], "python": []}
    assert name in starts, f"a page shows commands of kemu and Python, not {name}"
    done = subprocess.run(
        [sys.executable, *starts[name], *arguments],
        cwd=folder, env={**os.environ, "COLUMNS": "100", "PYTHONUTF8": "1"}, input=command.typed,
        encoding="utf-8", stdout=PIPE, stderr=STDOUT,
    )  # fmt: skip
    return echoed(done.stdout.splitlines(), command.typed.splitlines()), done.returncode


def echoed(lines: list[str], typed: list[str]) -> list[str]:
    """The lines as a terminal would show them: with what was typed behind each prompt."""
    waiting, out = list(typed), []
    for line in lines:
        prompt = re.match(r"\w+> ", line)
        if waiting and prompt:
            out += [prompt[0] + waiting.pop(0), line[prompt.end() :]]
        else:
            out.append(line)
    return out


def file_named(words: str) -> str | None:
    """The file that the opening of a block names."""
    return next((word for word in words.split() if "." in word), None)


def typed_in(file: Path, how: str, text: str) -> None:
    """Types a block into the file: all of it, at its end, or in place of what begins alike."""
    if how == "append":
        text = file.read_text("utf-8") + "\n" + text
    elif how == "replace":
        head = re.match(r"\w+", text)
        assert head
        kept = parts(file.read_text("utf-8"))
        assert sum(part.startswith(head.group()) for part in kept) == 1, "the text must say what is replaced"
        text = "".join(text + "\n" if part.startswith(head.group()) else part for part in kept)
    elif how == "line":
        start = " ".join(text.split()[:2])
        old = file.read_text("utf-8").splitlines(keepends=True)
        assert sum(line.startswith(start) for line in old) == 1, "the text must say what is replaced"
        text = "".join(text if line.startswith(start) else line for line in old)
    file.write_text(text, "utf-8")


def parts(text: str) -> list[str]:
    """The declarations of a file, each with what belongs to it."""
    return re.split(r"^(?=\S)", text, flags=re.M)


# ---------------------------------------------------------------------------------------------- pages


@dataclass(frozen=True, slots=True)
class Fault:
    """An example that does not show what it gives."""

    where: str
    shown: tuple[str, ...]
    given: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.where, "it shows:", *self.shown, "it gives:", *self.given])


class Page:
    """A page whose examples are run in order, in a folder of their own. `text` is the page with what they
    give."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text("utf-8")
        self.faults: list[Fault] = []
        self._session: dict[str, object] = {"__name__": "__main__"}

    @property
    def examples(self) -> bool:
        return re.search(r"^```(console|pycon|python)\b", self.text, re.M) is not None

    def run(self) -> None:
        text = self.text
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), modules_in(folder):
            made = []
            end = 0
            for block in BLOCK.finditer(text):
                made += [text[end : block.start(3)], self._block(block, Path(folder))]
                end = block.end(3)
            self.text = "".join([*made, text[end:]])

    def _block(self, block: re.Match[str], folder: Path) -> str:
        language, words, body = block.groups()
        line = block.string.count("\n", 0, block.start()) + 2
        if language == "console":
            return self._console(body, line, folder)
        if language == "pycon":
            return self._python_session(body, line)
        if file := file_named(words):
            typed_in(folder / file, words.split()[-1], body)
        elif language == "python":
            exec(compile(body, f"{self.path.name}:{line}", "exec"), dict(self._session))
        return body

    def _console(self, body: str, line: int, folder: Path) -> str:
        out = []
        for command in commands(body, line):
            printed, code = run(command, folder)
            while printed and not printed[-1].strip():
                printed.pop()
            shown = list(command.shown)
            self._compare(f"{command.line}: $ {command.text}", shown, printed)
            if code != command.code:
                self._fault(
                    f"{command.line}: exit code of $ {command.text}", [str(command.code)], [str(code)]
                )
            out += [f"$ {command.text}", *renewed(shown, printed)]
            out += ["$ echo $?", str(code)] if code or "echo $?" in body else []
        return "\n".join(out) + "\n"

    def _python_session(self, body: str, line: int) -> str:
        out = []
        for example in doctest.DocTestParser().get_examples(body):
            given = shown_by(example.source, self._session).splitlines()
            shown = example.want.splitlines()
            self._compare(f"{line + example.lineno}: >>> {example.source.splitlines()[0]}", shown, given)
            first, *more = example.source.splitlines()
            out += [f">>> {first}", *(f"... {each}" for each in more), *renewed(shown, given)]
        return "\n".join(out) + "\n"

    def _compare(self, where: str, shown: list[str], given: list[str]) -> None:
        if not agrees(shown, given):
            self._fault(where, shown, given)

    def _fault(self, where: str, shown: list[str], given: list[str]) -> None:
        self.faults.append(Fault(f"{self.path.name}:{where}", tuple(shown), tuple(given)))


@contextlib.contextmanager
def modules_in(folder: str) -> Iterator[None]:
    """Python finds the modules in the folder first, as at a prompt there."""
    path, known = list(sys.path), set(sys.modules)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
                del sys.modules[name]


def shown_by(source: str, names: dict[str, object]) -> str:
    """What Python prints for what is typed at its prompt; of an exception its last line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(source, "<example>", "single"), names)
        except Exception as error:
            kind = type(error)
            name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
            print(f"Traceback (most recent call last):\n{ANY}\n{name}: {error}")
    return out.getvalue().replace("\n\n", "\n<BLANKLINE>\n")


def main(words: list[str]) -> int:
    if words not in ([], ["regenerate"]):
        print(__doc__)
        return 64
    wrong = 0
    for path in (ROOT / "README.md", *PAGES):
        page = Page(path)
        if not page.examples:
            continue
        page.run()
        wrong += len(page.faults)
        for fault in page.faults:
            print(fault, end="\n\n")
        if words and page.faults:
            path.write_text(page.text, "utf-8")
    print(f"{wrong} of the examples {'renewed' if words else 'wrong'}")
    return 0 if words or not wrong else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
