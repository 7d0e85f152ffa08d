"""What is worked out before play is counted in steps: small in the rules file, endless to work out, soon
refused, and the definitions that cost are named."""

from __future__ import annotations

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import Diagnostic, RulesError

from tests.rules import LIBRARY

END = "rules:\n    choose go by ann\n    end tie\n"


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemu_engine.static.work.STEPS", 400_000)


def refused(text: str) -> Diagnostic:
    text = 'game "Test"\nplayers ann, ben\n' + text + ("" if "rules:" in text else "\n" + END)
    with pytest.raises(RulesError) as caught:
        instantiate(read_text(text, "test.kemu", LIBRARY))
    (found,) = caught.value.diagnostics
    assert found.span.line > 0
    return found


def notes(found: Diagnostic) -> list[str]:
    return [text for span, text in found.notes if span is None]


REVERSI = (LIBRARY / "classics" / "reversi" / "reversi.kemu").read_text()


def test_a_direction_that_leads_nowhere_names_the_loop_and_the_table() -> None:
    broken = REVERSI.replace("for d in king_steps", "for d in grid(-1..1, -1..1)")
    assert broken != REVERSI
    with pytest.raises(RulesError) as caught:
        instantiate(read_text(broken, "test.kemu", LIBRARY))
    (found,) = caught.value.diagnostics
    assert found.code == "E0703" and found.span.file.endswith("grids.kemu")
    assert notes(found)[:2] == ["`line`: 5 calls, 0.4 million steps", "`seen`: 64 keys, 0.4 million steps"]


def test_a_table_tells_how_many_keys_it_has() -> None:
    slow = "fun slow(x: 1..1000, y: 1..13): len([d for d in 1..40 if x * y % d == 0])\n"
    found = refused(f"state:\n    a: 1..1000\n    b: 1..13\n{slow}rules:\n    if slow(a, b) == 3: end tie\n")
    told, cure = notes(found)
    assert told == "`slow`: 13,000 keys, 0.4 million steps"
    assert "smaller domains" in cure


XS = "const xs = [x for x in 1..9000]\n"
LARGE = {  # one expression each that is quick to write and slow to work out, many times
    "looking for": f"{XS}const c = [x for x in 1..9000 if -x in xs]",
    "comparing": f"{XS}const c = [x for x in 1..9000 if xs + [x] == xs]",
    "ordering": f"{XS}const c = [x for x in 1..9000 if sorted(xs)[0] == x]",
    "joining sets": f"{XS}const s = set(xs)\nconst c = [x for x in 1..9000 if first(s | {{x}}) == 0]",
    "hashing": "fun f(n: int): (f(n - 1), f(n - 1)) if n > 0 else (1, 2)\nconst a = f(15)\n"
    "const c = [x for x in 1..9000 if a in {a}]",
    "writing": f"{XS}const c = [text(xs) for x in 1..9000]",
    "giving": f"{XS}fun f(ys: list[1..9000, 9000], n: int): n\nconst c = [f(xs, x) for x in 1..9000]",
    "changing": "fun f():\n    ys = [x for x in 1..9000]\n    for i in 0..8999: ys[i] = 3\n    return ys\n"
    "const c = f()",
    "choosing": "const c = [len(subsets(1..16, 8)) for x in 1..9000]",
    "grids": "const c = [len(grid(1..300, 1..300)) for x in 1..9000]",
    "state": "state:\n" + "".join(f"    m{i}: map[1..100, map[1..1000, 0..9]]\n" for i in range(9)),
    "sets in state": "state:\n" + "".join(f"    m{i}: map[1..1000, set[1..10000]]\n" for i in range(20)),
    "claims": "state:\n    n: 0..9\nproperty a for x in 1..9000: always n != x",
    "spots": "state:\n    n: 0..9\nview b:\n    cell x in 1..9000 at (x, x): n",
    "closure": "state:\n    n: 0..9\nrules:\n    if len(closure({n}, x -> {x + 1})) == 3: end tie",
    "rules": "state:\n    n: 0..9\nrules:\n"
    + "".join(f"    if n == {i}: choose go{i} by ann\n" for i in range(999)),
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_what_is_in_values_counts(text: str) -> None:
    assert refused(text).code == "E0703"


SHARED = {  # names that name others twice, which name others twice
    "names": "fun f(xs):\n    x = n\n" + "    x = x + x\n" * 40 + "    return x + len(xs)",
    "lists": "fun f(xs):\n    y = xs\n"
    + "".join(f"    y = (y if n == {i} else y[1:])\n" for i in range(60))
    + "    return y[0]",
    "indices": "fun f(xs): " + "xs[" * 60 + "n" + "]" * 60,
}


@pytest.mark.parametrize("text", SHARED.values(), ids=SHARED)
def test_an_expression_is_not_larger_than_readers_can_walk(text: str) -> None:
    state = "state:\n    xs: list[0..1, 3]\n    n: 0..1\n"
    found = refused(f"{state}{text}\nrules:\n    if f(xs) == 3: end tie\n    choose go by ann\n    end tie")
    assert found.code == "E0774"


def test_lists_made_of_lists_stay_as_small_as_others() -> None:
    text = "fun f(xs):\n    y = xs\n" + "    y = y + y\n" * 60 + "    return y\n"
    state = "state:\n    xs: list[0..1, 3]\n"
    assert refused(f"{state}{text}rules:\n    if f(xs)[0] == 3: end tie\n    end tie").code == "E0705"


def test_records_in_records_are_counted_before_they_are_laid_out() -> None:
    text = "".join(f"record R{i}(a: R{i + 1}, b: R{i + 1})\n" for i in range(40)) + "record R40(a: 0..1)\n"
    assert refused(f"{text}state:\n    r: R0").code == "E0717"
