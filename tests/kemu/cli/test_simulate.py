"""Simulations: the same result wherever the games are played, and what is told and drawn of it."""

from __future__ import annotations

import json
import random
import sys
import types
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from kemu.base.opening import load
from kemu.service import cluster, simulation
from kemu.service.simulation import Games, Playing, Spread, by_processes, played, simulate, split
from kemu.service.statistics import Tally, mean, quantile, share, sums
from kemu_engine.support.process_pool import DIED, Failed

from tests.kemu.conftest import CROSSES, RACE, Run


def together(tallies: Iterator[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.merge(tally)
    return whole


def in_some_order(games: Games, tasks: Iterator[range]) -> Iterator[Tally]:
    packed = games.packed()
    shuffled = list(tasks)
    random.Random(1).shuffle(shuffled)
    return (played(packed, numbers) for numbers in shuffled)


class Ray(types.ModuleType):
    """So much of Ray as is used here, in this process."""

    class exceptions:
        RayError = RuntimeError

    def __init__(self) -> None:
        super().__init__("ray")
        self.running = False

    def init(self, address: str, **_: object) -> None:
        if address != "somewhere":
            raise ConnectionError(f"nobody answers at {address}\nmore of it")
        self.running = True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def put(self, value: object) -> object:
        return value

    def remote(self, function: Any) -> Any:
        return types.SimpleNamespace(remote=lambda *given: (function, given))

    def wait(self, waiting: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        assert len(waiting) <= 4
        return waiting[-num_returns:], waiting[:-num_returns]

    def get(self, tasks: list[Any]) -> list[Any]:
        return [function(*given) for function, given in tasks]

    def shutdown(self) -> None:
        self.running = False


def dying(_: int, work: object, tasks: list[tuple[range]], *__: object) -> Generator[tuple[int, Failed]]:
    yield from ((at, Failed(DIED)) for at in range(len(tasks)))


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    module = Ray()
    monkeypatch.setitem(sys.modules, "ray", module)
    return module


@pytest.mark.parametrize("where", ["shuffled", "processes", "dying", "cluster"])
def test_the_same_seed_has_the_same_result_wherever_it_is_played(
    where: str, ray: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = Games(load(RACE).program, 7, 4)  # some of them are cut off
    here = together(simulate(games, 3000))
    assert here.games == 3000 and 0 < here.cut.games < 3000

    spread: Spread | None = in_some_order
    if where in ("processes", "dying"):
        spread = by_processes(2)
    if where == "dying":
        monkeypatch.setattr(simulation, "outcomes", dying)
    elif where == "cluster":
        spread = cluster.by_cluster("somewhere")
    monkeypatch.setattr(simulation, "ALONE", -1.0)
    monkeypatch.setattr(simulation, "TASK", 1e-3)
    assert together(simulate(games, 3000, spread)) == here
    assert not ray.running


def test_a_cluster_that_cannot_be_had_is_told_in_a_line(
    kemu: Run, ray: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = kemu("simulate", RACE, "--cluster", "nowhere")
    assert (
        done.code == 64 and done.err == "Error: there is no cluster at 'nowhere': nobody answers at nowhere\n"
    )
    monkeypatch.setitem(sys.modules, "ray", None)
    done = kemu("simulate", RACE, "--cluster", "somewhere")
    assert done.code == 64 and "pip install 'ray[client]'" in done.err and len(done.err.splitlines()) == 1


def test_tasks_are_ranges_of_numbers() -> None:
    assert list(split(range(3, 10), 3)) == [range(3, 6), range(6, 9), range(9, 10)]


def test_ranges_of_shares_are_wilsons() -> None:
    """The values that the literature has for 0, 5 and 10 of 10."""
    found = [share(games, 10) for games in (0, 5, 10)]
    assert [(round(each.low, 3), round(each.high, 3)) for each in found] == [
        (0.0, 0.278), (0.237, 0.763), (0.722, 1.0),
    ]  # fmt: skip


def test_ranges_of_means_are_those_of_the_normal_distribution() -> None:
    values = Counter({1: 2, 3: 2})
    found = mean(*sums(values))
    assert found.value == 2 and round(found.high - found.value, 6) == round(1.96 * (4 / 3) ** 0.5 / 2, 6)
    assert [quantile(values, part) for part in (0.0, 0.5, 0.51, 1.0)] == [1, 1, 3, 3]


def test_the_mean_of_actions_at_a_decision_is_that_of_all_decisions() -> None:
    tally = together(Playing(Games(load(CROSSES).program, 0, 100)).tallies(range(400)))
    found = tally.actions_a_decision()
    assert found is not None
    assert found.value == tally.branching.total / sum(n * games for n, games in tally.lengths.items())
    assert found.low < found.value < found.high < found.value + 0.2


def test_what_is_told(kemu: Run) -> None:
    done = kemu("simulate", CROSSES, "-n", "200", "--uses")
    assert done.code == 0
    lines = done.out.splitlines()
    assert any(line.startswith("place ") and line.endswith("100.0%  (98.1 to 100.0)") for line in lines)
    assert any(line.startswith("[R1]") for line in lines) and any("crosses.kemu:18" in line for line in lines)
    assert lines[-1].startswith("in parentheses: 95% confidence intervals")


def test_what_was_used_in_no_game_is_told(kemu: Run) -> None:
    done = kemu("simulate", CROSSES, "-n", "1", "--seed", "0")
    assert "used in no game:\n  crosses.kemu:23  end tie\n" in done.out


ROUND = """\
game "Round"
players ann, ben
reading R1 "who idles twice": goes_on | loses = goes_on
reading R2 "how far one counts": two | three = two
state:
    idle: 0..3 = 0
rules:
    for p in turns():
        choose:
            wait: idle = min(2 if R2 == two else 3, idle + 1)
            stir: idle = 0
        if idle >= 2 and R1 == loses: end win(other(p))
## [R1] Nobody has to lose.
property ends expect refuted: terminates
"""


def test_where_no_game_ends_the_option_is_told_with_which_they_do(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "round.kemu").write_text(ROUND)
    assert kemu("simulate", "round.kemu", "-n", "5").out.endswith(
        "\n`ends`, line 14, says that it may go on for ever [R1].\n"
        "R1, which is cited there, is goes_on here; there is `--set R1=loses`.\n"
        "With `--set R1=loses`, random games end.\n"
    )
    assert "--set" not in kemu("simulate", "round.kemu", "-n", "5", "--set", "R1=loses").out


def test_a_claim_in_the_file_of_proofs_is_told_with_the_name_of_the_file(kemu: Run, tmp_path: Path) -> None:
    rules, claim = ROUND.split("## ")
    (tmp_path / "round.kemu").write_text(rules)
    (tmp_path / "proofs.kemu").write_text(f'proves "round.kemu"\n## {claim}')
    assert "`ends`, line 3 of proofs.kemu, says" in kemu("simulate", "round.kemu", "-n", "5").out


def test_everything_as_json(kemu: Run) -> None:
    done = kemu("simulate", RACE, "-n", "300", "--json")
    told = json.loads(done.out)
    assert told["games"] == told["ended"] == sum(told["decisions"]["counts"].values()) == 300
    assert sum(games for games, *_ in told["results"].values()) == 300
    assert set(told["actions"]) == {"choose: walk", "choose: throw"}


def test_a_picture_is_drawn(kemu: Run, tmp_path: Path) -> None:
    done = kemu("simulate", RACE, "-n", "300", "--players", "3", "--plot", "race.svg")
    assert done.code == 0
    root = ElementTree.parse(tmp_path / "race.svg").getroot()
    words = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Decisions per game" in words
    assert {f"{player} wins" for player in load(RACE, players=3).players} <= set(words)
    assert "http" not in (tmp_path / "race.svg").read_text().replace("http://www.w3.org/2000/svg", "")
    assert "exists" in kemu("simulate", RACE, "--plot", "race.svg").err


@pytest.mark.parametrize("name", ["race.png", "race", "nowhere/race.svg", "/proc/race.svg"])
def test_a_picture_that_cannot_be_drawn_is_refused_before_the_games(
    kemu: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("kemu.cli.simulate.ready", None)
    done = kemu("simulate", RACE, "--plot", name)
    assert (done.code, done.out) == (64, "")
