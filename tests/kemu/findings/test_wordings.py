"""What `rules.md` says for the page of findings: entries, rows, and moves in words."""

from __future__ import annotations

import pytest
from kemu.findings.phrases import phrases
from kemu.findings.wordings import closing

TEXT = """
## Moves in words

| move | in words |
| --- | --- |
| place(SPOT) | lays a stone on SPOT |
| add({BEACH}) | adds a boat on BEACH |
| sail((NAME, SIDE)) | sails from NAME by its side SIDE |
| BEACH: (NAME, 0) | NAME A |
| BEACH: (NAME, 1) | NAME B |
| roll: DIE | a DIE is thrown |

## How the gaps would be closed

The Dutch rulebook.

### May one go twice?

(K5, K6; the end, *nog eens*)

"Again" may mean either.

- K5 = yes: one may
- K5 = no: one may not

*Print:* "One may go twice."

### In a line each

| gap | passages | wording |
| --- | --- | --- |
| K7 | M1, M2 | "They go back." |
| K8 | D6 | *Not a hole:* it is over. |
| K9 | D6 | *Assumed:* three. |

## Worked examples

| K10 | D6 | not a row of that section |
"""


def test_an_entry_is_a_question_with_its_place_the_doubt_the_answers_and_what_to_print() -> None:
    found = closing(TEXT)
    (entry,) = found.entries
    assert found.opening == "The Dutch rulebook."
    assert (entry.question, entry.numbers) == ("May one go twice?", ("K5", "K6"))
    assert (entry.place, entry.doubt) == ("the end, *nog eens*", '"Again" may mean either.')
    assert entry.answers == {("K5", "yes"): "one may", ("K5", "no"): "one may not"}
    assert entry.words == '"One may go twice."'


def test_a_row_closes_a_gap_denies_it_or_says_what_was_assumed() -> None:
    rows = closing(TEXT).rows
    assert {number: (row.kind, row.words) for number, row in rows.items()} == {
        "K7": ("small", '"They go back."'),
        "K8": ("denied", "it is over."),
        "K9": ("assumed", "three."),
    }
    assert rows["K7"].passages == ("M1", "M2")


def test_a_file_without_the_section_closes_nothing() -> None:
    assert closing("# Rules\n").numbers == []


@pytest.mark.parametrize(
    ("label", "move", "words"),
    [
        ("", "place((7, 1))", "lays a stone on (7, 1)"),
        ("", "add({(tonga, 0)})", "adds a boat on Tonga A"),
        ("", "add({(tonga, 0), (rapa_nui, 1)})", "adds a boat on Tonga A and Rapa Nui B"),
        ("", "sail((w13, 3))", "sails from w13 by its side 3"),
        ("roll", "6", "a 6 is thrown"),
        ("", "two_on_tonga", "two on tonga"),
    ],
)
def test_a_move_is_told_by_the_first_row_that_fits(label: str, move: str, words: str) -> None:
    assert phrases(TEXT).move(label, move) == words
