"""A reading that changes who knows what is no other wording of the same game."""

from pathlib import Path

from tests.kemu.cli.test_diff import SECRET
from tests.kemu.conftest import Run

RULEBOOK = """\
# Secret, retold

## Play

- **[A1]** Ann draws a card, and Ben guesses it.

## Gaps

- **[G1]** Who looks at the card: Ann, or both?
"""


def test_of_a_reading_is_told_who_knows_more(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "secret.kemu").write_text(SECRET)
    (tmp_path / "rules.md").write_text(RULEBOOK)
    done = kemu("findings", "secret.kemu", "--seconds", "1", "--minutes", "0.02", "--details", "d.md")
    assert done.code == 0, done.err
    told = (tmp_path / "d.md").read_text()
    assert (
        "who knows what differs: ben can tell these two plays apart in G1=both, not in G1=one: 1; 2" in told
    )
    assert "the same game" not in told
