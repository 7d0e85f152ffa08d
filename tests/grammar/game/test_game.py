"""The checked game: a file and its libraries in one value."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from tests.grammar.support import FRAME, LIBRARY

SOUND = Path(__file__).parents[1] / "sound"


def faults(text: str, library: Path = LIBRARY) -> list[str]:
    with pytest.raises(RulesError) as error:
        read_text(text, "test.kemu", library)
    return [d.code for d in error.value.diagnostics]


def test_a_game_gathers_its_declarations() -> None:
    game = read(SOUND / "heap.kemu", LIBRARY)
    assert (game.title, game.players.names) == ("Heap", ("north", "south"))
    assert list(game.options) == ["size", "last"] and list(game.instances) == ["small", "turned"]
    assert list(game.names) == ["most", "left_over", "over", "victor", "take_some"]
    assert [v.name for v in game.state] == ["heap", "taken"]
    assert [p.name for p in game.properties] == ["ends", "counted", "opens", "stuck"]
    assert len(game.examples) == len(game.views) == 1
    assert isinstance(game.rules, t.Rules) and game.citations[game.file] == {25: ("H1",)}


def test_edition_and_readings_are_options() -> None:
    game = read(SOUND / "cards.kemu", LIBRARY)
    assert [(o.name, o.kind) for o in game.options.values()] == [("edition", "edition"), ("R1", "reading")]


def test_what_a_game_is_may_be_said_above_its_language() -> None:
    game = read_text("## What it is.\nlanguage 2\n" + FRAME + "rules:\n    end tie\n", "test.kemu", LIBRARY)
    assert game.doc == "What it is."


def test_what_a_game_calls_as_a_library_does_is_its_own_unless_the_library_needs_it() -> None:
    own = f"{FRAME}use boards\nfun beside(a): a == 3\nrules:\n    end tie\n"
    assert len(read_text(own, "test.kemu", LIBRARY).names["beside"].params) == 1  # type: ignore[attr-defined]
    assert "E0302" in faults(own.replace("beside", "line"))


def test_libraries_are_taken_in(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "a.kemu").write_text("use two\nfun first_one: second_one()\n")
    (tmp_path / "one" / "b.kemu").write_text("const more = 3\ncheck more == 3\n")
    (tmp_path / "two" / "c.kemu").write_text("use one\nfun second_one: 2\n")
    game = read_text(f"{FRAME}use one\nneeds first_one() == 2\nrules:\n    end tie\n", "test.kemu", tmp_path)
    assert set(game.names) == {"first_one", "more", "second_one"} and len(game.checks) == 1
    assert len(game.sources) == 4


def test_a_fault_in_a_library_is_told_there(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.kemu").write_text("fun f: nothing_known\n")
    with pytest.raises(RulesError) as error:
        read_text(f"{FRAME}use one\nrules:\n    end tie\n", "test.kemu", tmp_path)
    assert [(d.code, Path(d.span.file).name) for d in error.value.diagnostics] == [("E0301", "a.kemu")]


def test_what_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.kemu").write_text("state:\n    x: bool\n")
    assert faults(f"{FRAME}use one\nrules:\n    end tie\n", tmp_path) == ["E0306"]
    assert faults(f"{FRAME}use oen\nrules:\n    end tie\n", tmp_path) == ["E0305"]
    assert faults(f"{FRAME}use two\nrules:\n    end tie\n", tmp_path / "nowhere") == ["E0305"]


def test_a_game_needs_title_players_and_rules_once() -> None:
    assert faults("const a = 1") == ["E0220"]
    assert faults(f"{FRAME}rules: end tie\nrules: end tie") == ["E0302"]
    assert faults(f"{FRAME}players a\nrules: end tie") == ["E0302"]


def test_a_file_says_which_version_of_the_language_it_is_written_for() -> None:
    rules = f"{FRAME}rules:\n    end tie\n"
    assert read_text(f"language 2\n{rules}", "test.kemu", LIBRARY).versioned == {"test.kemu"}
    assert read_text(rules, "test.kemu", LIBRARY).versioned == frozenset()
    assert faults(f"language 1\n{rules}") == faults(f"language 3\n{rules}") == ["E0226"]
    assert faults(f"language 2\nlanguage 2\n{rules}") == ["E0302"]


def test_rows_of_a_table_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "cards.csv").write_text("card,points\nace,9\nking,5\n")
    text = (
        f'{FRAME}table Card from "cards.csv": points: 0..9\nneeds ace.points > king.points\nrules: end tie\n'
    )
    game = read_text(text, str(tmp_path / "game.kemu"), LIBRARY)
    table = game.names["Card"]
    assert isinstance(table, t.Table) and [name for name, _ in table.rows] == ["ace", "king"]
    assert faults(text) == ["E0315"]
