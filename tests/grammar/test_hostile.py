"""Files that no author writes: one clear diagnostic, soon."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source import cache
from kemu_grammar.source.diagnostics import RulesError, render
from kemu_grammar.syntax.chunks import machine

from tests.grammar.support import FRAME, LIBRARY
from tests.soak import examples

pytestmark = pytest.mark.slow

SOUND = {f.stem: f.read_text() for f in (Path(__file__).parent / "sound").glob("*.kemu")}
HOSTILE = {
    "parentheses": "const a = " + "(" * 10_000 + "1" + ")" * 10_000,
    "open parentheses": "const a = " + "(" * 9_000,
    "not": "const a = " + "not " * 2_000 + "true",
    "minus": "const a = " + "-" * 9_000 + "1",
    "sum": "const a = " + "1 + " * 2_000 + "1",
    "powers": "const a = " + "1 ** " * 1_500 + "1",
    "implies": "const a = " + "true implies " * 700 + "true",
    "choices": "const a = " + "1 if true else " * 600 + "1",
    "calls": "const a = f" + "(1)" * 3_000,
    "fields": "const a = f" + ".x" * 3_000,
    "options": "const a: x" + "?" * 9_000 + " = 1",
    "sums in parentheses": "const a = " + "(" * 90 + "1" + " + 1)" * 90 + " + 1" * 90,
    "blocks": "rules:\n" + "".join("    " * i + "    if true:\n" for i in range(200)),
    "one line": "const a = [" + "1, " * 3_500_000 + "]",
    "long file": "const a = 1\n" * 1_000_000,
    "digits": "const a = " + "9" * 9_000,
    "binary": bytes(random.Random(1).choices(range(256), k=10_000)).decode("latin-1"),
    "a long name": "x" * 9_000,
    "nul": "game \0",
    "direction": 'game "a\u202eb"',
    "empty": "",
    "blank": "\n\n  \n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_in_one_diagnostic(name: str) -> None:
    start = time.process_time()
    with pytest.raises(RulesError) as error:
        read_text(HOSTILE[name], "hostile.kemu", LIBRARY)
    assert time.process_time() - start < 5
    (fault,) = error.value.diagnostics
    assert fault.code < "E0111" or name in ("empty", "blank", "a long name")
    assert len(render(fault, HOSTILE[name])) < 2_000


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "bad.kemu"
    file.write_bytes(b'game "ok"\nplayers a\xff\xfe\n')
    with pytest.raises(RulesError) as error:
        read(file, LIBRARY)
    (fault,) = error.value.diagnostics
    assert (fault.code, fault.span.line, fault.span.column) == ("E0102", 2, 10)


def test_definitions_that_chase_each_other() -> None:
    chain = "".join(f"const c{i} = c{i + 1} + c{i + 1}\n" for i in range(300)) + "const c300 = 1\n"
    circle = "const a = b\nconst b = a\nfun f(x): g(x)\nfun g(x): f(x)\n"
    assert read_text(f"{FRAME}{chain}{circle}rules: end tie\n", "f", LIBRARY).title == "Test"


@pytest.mark.parametrize(
    "value",
    [
        "1" + " + 1" * 99,
        "(" * 99 + "1" + ")" * 99,
        "abs(" * 97 + "1" + ")" * 97,
        "len([" * 48 + "1" + "])" * 48,
        "same(" * 97 + "1" + ")" * 97,
        "[x for x in " * 97 + "[1]" + "]" * 97,
        "1" + " if true else 1" * 90,
        "true" + " implies true" * 90,
    ],
    ids=lambda v: v[:6],
)
def test_what_is_just_not_too_deep_is_read(value: str) -> None:
    chain = "".join(f"const c{i} = {value.replace('1', f'c{i + 1}', 1)}\n" for i in range(40))
    text = f"{FRAME}fun same(x): x\n{chain}const c40 = {value}\nrules: end tie\n"
    with contextlib.suppress(RulesError):  # numbers where lists were, but never a RecursionError
        read_text(text, "f", LIBRARY)


def test_many_faults_are_cut_short() -> None:
    text = FRAME + "".join(f"const c{i} = unknown_number_{i}\n" for i in range(1_000)) + "rules: end tie\n"
    start = time.process_time()
    with pytest.raises(RulesError) as error:
        read_text(text, "f", LIBRARY)
    assert len(error.value.diagnostics) == 100 and time.process_time() - start < 10


@given(st.sampled_from(sorted(SOUND)), st.randoms(use_true_random=False))
@examples(15)
def test_a_mangled_file_is_read_or_refused(name: str, random: random.Random) -> None:
    """Lines and pieces cut, doubled and swapped: diagnostics inside the file, or a game; nothing else."""
    text = SOUND[name]
    for _ in range(random.randint(1, 3)):
        at, to = sorted(random.randint(0, len(text)) for _ in range(2))
        to = min(to, at + 12)
        piece = random.choice(
            ["", text[at:to] * 2, "(", ")", ":", "=", " if ", "\n", "    ", '"', "not ", "1"]
        )
        text = text[:at] + piece + text[to:]
    try:
        read_text(text, "mangled.kemu", LIBRARY)
    except RulesError as error:
        lines = text.split("\n")
        for d in error.diagnostics:
            assert 1 <= d.span.line <= len(lines) + 1 and d.span.column >= 1
            assert render(d, text)


def test_the_parser_is_ready_though_half_of_it_is_kept_or_nothing_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, get = list[str](), cache.get
    monkeypatch.setattr(cache, "get", lambda name: names.append(name) or get(name))
    machine.__wrapped__()
    kept = tmp_path / "half" / "kemu" / names[0]
    kept.parent.mkdir(mode=0o700, parents=True)
    kept.write_bytes(b"half a file")
    (tmp_path / "nowhere").write_text("")
    code = "from kemu_grammar.syntax.parser import parse; assert parse('const a = 1', 'f').declarations"
    env = {"PATH": "", "PYTHONPATH": str(LIBRARY.parent)}
    places = [str(tmp_path / name) for name in ("half", "nowhere")]
    both = [subprocess.Popen([sys.executable, "-c", code], env=env | {"XDG_CACHE_HOME": p}) for p in places]
    assert [process.wait(60) for process in both] == [0, 0]
    monkeypatch.setenv("KEMU_CACHE", str(kept.parent))
    assert get(names[0]) is not None
