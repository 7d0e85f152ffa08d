"""Solvers that may confirm proof conditions: cvc5 (a Python package), or programs that read SMT-LIB."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from kemu.base.library import BadInput, shown

STEP = 5.0  # seconds for a step of a play

Solver = Callable[[Path, float], str]
"""The answer to a file within so many seconds: "unsat", "sat", or why there is none."""


def solver(name: str | None) -> tuple[str, Solver | None]:
    """The solver that a name or path means, with what to call it; cvc5 if nothing is said, and None if that
    is not installed. Raises BadInput."""
    if name in (None, "cvc5"):
        if find_spec("cvc5") is not None:
            import cvc5

            return f"cvc5 {cvc5.__version__}", by_cvc5
        path = program("cvc5")
        if path is None and name is None:
            return "no solver", None
        if path is None:
            raise BadInput("cvc5 is not installed: `pip install cvc5` adds it")
        return "cvc5", by_program(path)
    path = program(str(name))
    if path is None:
        raise BadInput(f"there is no solver {shown(str(name))}: neither a program of that name nor a path")
    return path.stem, by_program(path)


def program(name: str) -> Path | None:
    """A program by its path or name: beside this Python, or wherever the system finds programs."""
    beside = Path(sys.executable).parent / name
    found = shutil.which(name) or (shutil.which(str(beside)) if not Path(name).is_absolute() else None)
    return Path(found) if found else None


def answer(solver: Solver, text: str) -> str:
    """The answer to a text that stands in no file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "step.smt2"
        path.write_text(text, "utf-8")
        return solver(path, STEP)


def by_cvc5(path: Path, seconds: float) -> str:
    """Asks cvc5, within this process."""
    import cvc5

    asked = cvc5.Solver()
    asked.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(asked)
    answer = ""
    try:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, path.read_text("utf-8"), path.name)
        while not (command := parser.nextCommand()).isNull():
            answer += command.invoke(asked, parser.getSymbolManager())
    except RuntimeError as error:
        return " ".join(str(error).split())[:200]
    return plain(answer)


def by_program(solver: Path) -> Solver:
    """Asks a program."""

    def ask(path: Path, seconds: float) -> str:
        try:
            done = subprocess.run(
                [str(solver), str(path)], capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return f"no answer within {seconds:g} seconds"
        except OSError as error:
            return f"it cannot be run: {error.strerror or error}"
        return plain(done.stdout + done.stderr)

    return ask


def plain(answer: str) -> str:
    """The answer; solvers also complain of one that is not the one that the file expects."""
    words = answer.split()
    if words == ["unsat"]:
        return words[0]
    if words[:1] == ["sat"] or "got sat" in answer:
        return "sat"
    return " ".join(words)[:200] or "no answer"
