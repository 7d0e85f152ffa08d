"""The file of proofs beside a rules file."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_grammar.game.game import Game, read
from kemu_grammar.source.diagnostics import RulesError

HEAP = """\
game "Heap"
players ann, bob
option short: bool = false
const stones = 9
check stones == 9
domain Stone = 1..stones
state:
    left: set[Stone] = set(Stone)
rules:
    for p in turns():
        choose take(s in Stone) if s in left
        left -= {s}
        if left == {}: end win(p)
example "all are there":
    expect: len(left) == 9
"""
PROOFS = """\
proves "heap.kemu"
option few: 3 | 9 = 9  # [A1]
instance small: few = 3
under few == 3:
    const stones = 3
property ends: terminates by measure()
fun measure(): len(left)
example "three are there" if few == 3:
    expect: len(left) == 3
"""


def written(folder: Path, proofs: str = PROOFS, rules: str = HEAP) -> Path:
    (folder / "heap.kemu").write_text(rules)
    (folder / "proofs.kemu").write_text(proofs)
    return folder / "heap.kemu"


def opened(folder: Path, proofs: str = PROOFS, rules: str = HEAP) -> Game:
    return read(written(folder, proofs, rules), folder)


def faults(folder: Path, proofs: str, rules: str = HEAP) -> list[str]:
    with pytest.raises(RulesError) as error:
        opened(folder, proofs, rules)
    return [f"{Path(d.span.file).name} {d.code}" for d in error.value.diagnostics]


def test_it_is_read_with_the_rules_and_known_apart(tmp_path: Path) -> None:
    game = opened(tmp_path)
    assert (Path(game.file).name, Path(game.proofs).name) == ("heap.kemu", "proofs.kemu")
    assert list(game.options) == ["short", "few"] and list(game.instances) == ["small"]
    assert [p.name for p in game.properties] == ["ends"] and "measure" in game.names
    assert game.options["few"].span.file == game.proofs != game.options["short"].span.file


def test_checks_and_examples_of_the_rules_speak_of_the_game_as_it_is(tmp_path: Path) -> None:
    game = opened(tmp_path)
    assert [e.condition is None for e in game.examples] == [False, False]
    assert [e.condition is None for e in opened(tmp_path, PROOFS.split("option")[0]).examples] == [True]


def test_a_file_of_proofs_may_be_opened_by_itself(tmp_path: Path) -> None:
    other = written(tmp_path).with_name("more.kemu")
    other.write_text('proves "heap.kemu"\nproperty more: always len(left) <= 9\n')
    assert [p.name for p in read(other, tmp_path).properties] == ["more"]
    assert read(other, tmp_path).title == "Heap"


def test_one_of_another_game_is_left_aside(tmp_path: Path) -> None:
    assert opened(tmp_path, PROOFS.replace("heap.kemu", "hoop.kemu")).proofs == ""


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("state:\n    x: bool\n", "proofs.kemu E0321"),
        ("rules:\n    end tie\n", "proofs.kemu E0321"),
        ('reading K1 "who": a | b = a\n', "proofs.kemu E0321"),
        ("fun short: 3\n", "proofs.kemu E0302"),
        ("enum Player: cat, dog\n", "proofs.kemu E0302"),
        ("const winner = ann\n", "proofs.kemu E0302"),
        ('proves "heap.kemu"\n', "proofs.kemu E0302"),
    ],
)
def test_it_says_nothing_of_how_the_game_is_played(tmp_path: Path, more: str, fault: str) -> None:
    assert faults(tmp_path, PROOFS + more) == [fault]


def test_the_rules_are_complete_without_it(tmp_path: Path) -> None:
    asks = HEAP.replace("if left == {}", "if measure() == 0")
    assert faults(tmp_path, PROOFS, asks) == ["heap.kemu E0301"]


@pytest.mark.parametrize("named", ["nowhere.kemu", "../heap.kemu"])
def test_its_rules_file_lies_beside_it(tmp_path: Path, named: str) -> None:
    written(tmp_path, PROOFS.replace("heap.kemu", named))
    with pytest.raises(RulesError) as error:
        read(tmp_path / "proofs.kemu", tmp_path)
    assert [d.code for d in error.value.diagnostics] == ["E0320"]


def test_a_slip_in_it_does_not_hide_those_of_the_rules(tmp_path: Path) -> None:
    rules = HEAP.replace("s in left", "s in lefft")
    found = faults(tmp_path, PROOFS + "property broken: stones stones\n", rules)
    assert found == ["heap.kemu E0301", "proofs.kemu E0221", "proofs.kemu E0202"]
