"""`python -m kemu_checker DIR`: checks a bundle and says what is confirmed."""

import argparse
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from kemu_checker.answers import BY_PROVERS, CONFIRMED, NOTHING, OPEN, WRONG, Judge, Room
from kemu_checker.arithmetic import Arithmetic
from kemu_checker.bundle import CLAIMING, Answer, Bundle, altered, open_bundle
from kemu_checker.limits import TooLarge
from kemu_checker.questions import questions
from kemu_checker.rules import Proofs
from kemu_checker.solvers import SOLVERS, solvers_here
from kemu_checker.views import Limits

_STACK = 1 << 29
_DEPTH = 400_000
_LONGEST, _LONG = 1_000, 200  # characters of a line, and of a key
_GRACE = 5.0  # seconds in which a step may still come to its end


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="kemu_checker", description="Checks a bundle of Kemu's.")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--solver", choices=tuple(SOLVERS), help="whom to ask; else the first that is installed"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for all together")
    parser.add_argument("--each", type=float, default=20.0, help="seconds for each condition")
    parser.add_argument("--states", type=int, default=200_000, help="how many are visited at most")
    parser.add_argument("--only", help="the key of one question")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code, usual = [130], sys.getrecursionlimit()
    sys.setrecursionlimit(_DEPTH)
    threading.stack_size(_STACK)

    def work() -> None:
        try:
            code[0] = _run(arguments)
        except BrokenPipeError:  # nobody reads any more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    late = time.monotonic() + arguments.seconds + _GRACE
    try:
        while worker.is_alive():
            worker.join(0.5)
            if time.monotonic() > late:
                print("open: out of time in a step that has no end")
                return 4
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    finally:
        sys.setrecursionlimit(usual)
        threading.stack_size(0)
    return code[0]


def _run(arguments: argparse.Namespace) -> int:
    until = time.monotonic() + arguments.seconds
    try:
        bundle = open_bundle(arguments.folder)
    except ValueError as error:
        say(f"wrong: {error}")
        return 1
    except (RecursionError, MemoryError) as error:
        say(f"open: too large: {error}")
        return 4
    solver = arguments.solver or next(iter(solvers_here()), None)
    if solver is None:
        print("no solver is installed: python-sat, cvc5 or z3-solver", file=sys.stderr)
        return 64
    sums = Arithmetic if "cvc5" in solvers_here() else None
    troubles = [*altered(arguments.folder), *bundle.unreadable]
    for text in troubles:
        say(f"wrong: {text}")
    try:
        found = _table(bundle, Limits(solver, arguments.each, sums, until), arguments)
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, ArithmeticError) as error:
        say(f"wrong: {type(error).__name__}: {error}")
        return 1
    except (TooLarge, RecursionError, MemoryError) as error:
        say(f"open: too large: {error}")
        return 4
    counts = Counter(found.values())
    order = (CONFIRMED, BY_PROVERS, OPEN, WRONG, NOTHING)
    say(", ".join(f"{counts[each]} {each}" for each in order if counts[each]))
    if counts[WRONG] or troubles:
        return 1
    return 4 if counts[OPEN] else 0


def say(line: str) -> None:
    """Prints a line; what is in it of the bundle's can neither end it nor look like another one."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
    print(shown[:_LONGEST], flush=True)


def _table(bundle: Bundle, limits: Limits, arguments: argparse.Namespace) -> dict[str, str]:
    """One line for each question, as it is decided."""
    asked = questions(bundle.program, bundle.claims)
    places = frozenset(place for question in asked for place in question.places)

    def note(text: str) -> None:
        if sys.stderr.isatty():
            print(f"  {text}", file=sys.stderr)

    proofs = Proofs(bundle.program, limits, places, note)
    for proof in bundle.proofs:
        proofs.add(proof.node, proof.cuts)
    judge = Judge(bundle, proofs, Room(arguments.states), note)
    answers = {answer.key: answer for answer in bundle.answers}
    found = {}
    for question in sorted(asked, key=lambda question: not _by_play(answers.get(question.key))):
        if arguments.only and question.key != arguments.only:
            continue
        begun, answer = time.monotonic(), answers.get(question.key)
        verdict, why = judge.judge(question, answer) if answer else (OPEN, "the bundle does not answer this")
        found[question.key] = verdict
        said = answer.verdict if answer else ""
        seconds = time.monotonic() - begun
        say(f"{_named(question.key):40} {said:12} {verdict:16} {seconds:6.1f} s  {why}")
    for key in sorted(answers.keys() - {question.key for question in asked}):
        verdict = answers[key].verdict
        say(f"nobody asks {key!a:.{_LONG}}: {verdict}")
        found[key] = WRONG if verdict in CLAIMING else NOTHING
    if arguments.only and arguments.only not in found:
        raise ValueError(f"nobody asks {arguments.only!a:.{_LONG}}")
    return found


def _by_play(answer: Answer | None) -> bool:
    """Whether no more has to be looked at than a play: that comes first, should time be short."""
    return answer is not None and answer.evidence.get("kind") == "play"


def _named(key: str) -> str:
    """A key that cannot be taken for more than a key, or for another one: blanks one by one, not too long,
    and no letters that look like others."""
    plain = " ".join(key.split())
    return key if key == plain and key.isascii() and len(key) <= _LONG else f"{key!a:.{_LONG}}"


if __name__ == "__main__":
    sys.exit(main())
