"""How much memory a process may take: of the machine's, of its container's, beside others of ours."""

from pathlib import Path

import pytest
from kemu_verifier.symbolic import deadline

GB = 10**9


@pytest.mark.parametrize(
    ("groups", "file", "text", "limits"),
    [
        ("0::/box/inner\n", "box/memory.max", "4000000000\n", [4 * GB]),
        ("0::/box\n", "memory.max", "max\n", []),
        ("9:cpu,memory:/docker/1f\n0::/\n", "memory/memory.limit_in_bytes", "3000000000\n", [3 * GB]),
        ("9:cpu:/docker/1f\n", "memory/memory.limit_in_bytes", "3000000000\n", []),
    ],
    ids=["around it", "no limit", "version 1", "of another kind"],
)
def test_a_containers_limit_is_known(
    groups: str, file: str, text: str, limits: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "groups").write_text(groups)
    (tmp_path / "control" / file).parent.mkdir(parents=True)
    (tmp_path / "control" / file).write_text(text)
    monkeypatch.setattr(deadline, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(deadline, "_CONTROL", tmp_path / "control")
    assert deadline.contained() == limits
    assert deadline.limit() <= min([1 << 62, *limits])


def test_all_processes_together_have_at_most_half() -> None:
    assert [deadline.part(24 * GB, processes) for processes in (1, 2, 4, 12)] == [6 * GB, 6 * GB, 3 * GB, GB]
    assert deadline.part(6 * GB, 1) == deadline.LEAST  # a quarter would be less
    assert deadline.part(GB, 1) == GB // 2
