"""The mutants of a piece of code, operator by operator; their names, and the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.mutants import mutants, sample

CODE = '''\
"""What it does."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import nothing

TABLE = {1: True}


def f(a: int | None, b: list[int]) -> bool:
    """1 < 2"""
    assert a < 2
    {}
'''


def made(tmp_path: Path, line: str) -> dict[str, list[str]]:
    """What becomes of a line, by operator."""
    file = tmp_path / "code.py"
    file.write_text(CODE.replace("{}", line.replace("\n", "\n    ")))
    found: dict[str, list[str]] = {}
    for m in mutants(file, tmp_path):
        if m.where == "f":
            found.setdefault(m.operator, []).append(m.text()[file.read_text().index("< 2\n") + 8 :].strip())
    return found


@pytest.mark.parametrize(
    ("line", "operator", "after"),
    [
        ("x = a < b", "comparison", ["x = a <= b", "x = a >= b"]),
        ("x = a is not b in c", "comparison", ["x = a is b in c", "x = a is not b not in c"]),
        ("x = a // b", "arithmetic", ["x = a * b"]),
        ("x = -a", "arithmetic", ["x = +a"]),
        ("x = a and b or c", "connective", ["x = a and b and c", "x = a or b or c"]),
        ("x = a or b", "operand", ["x = False or b", "x = a or False"]),
        ("x = isinstance(a, A | B)", "operand", ["x = isinstance(a, A)", "x = isinstance(a, B)"]),
        ("x = a if b else c", "condition", ["x = a if (not (b)) else c"]),
        ("x = [y for y in b if y]", "condition", ["x = [y for y in b if (not (y))]"]),
        ("x = not a", "negation", ["x = (a)"]),
        ("x = 7", "constant", ["x = 8", "x = (6)"]),
        ("x = True", "constant", ["x = False"]),
        ("x = len(b)", "length", ["x = (len(b) + 1)", "x = (len(b) - 1)"]),
        ("g(a)", "statement", ["pass"]),
        ("a.b = c", "statement", ["pass"]),
        ("for x in b:\n    break", "statement", ["for x in b:\n        continue"]),
        ("x = g(a, b, 'text')", "arguments", ["x = g(b, a, 'text')"]),
        ("return a", "result", ["return not (a)"]),
        ("return g(a.b, 2)", "result", ["return not (g(a.b, 2))", "return (a.b)"]),
        (
            "match a:\n    case 1 | 2:\n        pass",
            "case",
            [
                "match a:\n        case 1 | 2 if False:\n            pass",
                "match a:\n        case 2:\n            pass",
                "match a:\n        case 1:\n            pass",
            ],
        ),
        ("x = make.le(a, b)", "operation", ["x = make.lt(a, b)"]),
        ("x = g('union', a)", "operation", ["x = g('inter', a)"]),
        ("x = b[1:c]", "bounds", ["x = b[:c]", "x = b[1:]"]),
        ("x = sorted(b, key=g)", "order", ["x = (b)"]),
    ],
)
def test_operators(line: str, operator: str, after: list[str], tmp_path: Path) -> None:
    assert made(tmp_path, line)[operator] == after


def test_what_is_no_logic_stays(tmp_path: Path) -> None:
    assert made(tmp_path, 'x: dict[int, int | str] = f"{a + 1}"') == {}
    assert made(tmp_path, "raise AssertionError(1)") == {}
    assert made(tmp_path, "x = isinstance(a, int)") == {}


def test_names_stay_and_the_sample_with_them(tmp_path: Path) -> None:
    """Of what is added some comes into the sample; of what was there no other does."""
    file, code = tmp_path / "code.py", "def f(a):\n    return a + 1\n\n\ndef g(a):\n    return a < 2\n"
    file.write_text(code)
    before = sample([tmp_path], 5, 1)
    file.write_text("def new():\n    x = 3\n\n\n" + code)
    after = sample([tmp_path], 5, 1)
    assert {m.name for m in after if m.where != "new"} <= {m.name for m in before}
    assert [m.line for m in sample([tmp_path], 99, 1) if m.where == "f"] == [6, 6, 6]
