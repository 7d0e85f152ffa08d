"""`kemu compile --to wasm`, and `kemu simulate` with WebAssembly and without."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_engine.batch.playout import MANY, playouts
from kemu_engine.run.wasm.emit import layout

from tests.kemu.conftest import Run

CROSSES = str(Path(__file__).parents[1] / "games" / "crosses.kemu")


def test_a_module_is_written(kemu: Run, tmp_path: Path) -> None:
    file = tmp_path / "crosses.wasm"
    done = kemu("compile", CROSSES, "--to", "wasm", "-o", str(file))
    assert done.code == 0 and done.out.startswith(f"written: {file}; ")
    assert file.read_bytes()[:8] == b"\0asm\1\0\0\0"


def test_what_is_not_covered_is_said_in_a_line(kemu: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MOST_BYTES", 1)
    done = kemu("compile", CROSSES, "--to", "wasm")
    assert done.code != 0 and "Traceback" not in done.err
    assert "Noughts and Crosses cannot be compiled to WebAssembly yet" in done.err


def test_without_wasmtime_the_games_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load(CROSSES)
    by_default = list(playouts(game, 1, MANY))
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    assert list(playouts(game, 1, MANY)) == by_default
