"""`kemu mutate`: the table, the survivors, and a line of JSON for each mutant."""

import json

from tests.kemu.conftest import COIN, Run


def test_table_and_survivors(kemu: Run) -> None:
    done = kemu("mutate", COIN, "--limit", "3", "--no-prover", "--seconds", "0.5")
    assert done.code == 0, done.err
    first, *rest = done.out.splitlines()
    assert "3 mutants, judged in as it stands" in first
    assert rest[0].split()[:1] == ["operator"]
    assert rest[-1].startswith(tuple("0123")) and "of 3 killed or proved equivalent" in rest[-1]


def test_json(kemu: Run) -> None:
    done = kemu("mutate", COIN, "--limit", "2", "--no-prover", "--seconds", "0.5", "--json")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert len(found) == 2
    assert {"mutant", "operator", "line", "before", "after", "fate"} <= found[0].keys()


def test_one_operator_and_one_mutant(kemu: Run) -> None:
    done = kemu("mutate", COIN, "--operator", "player", "--no-prover", "--json", "--limit", "1")
    assert all(json.loads(line)["operator"] == "player" for line in done.out.splitlines())
    again = kemu("mutate", COIN, "--mutant", "1", "--no-prover", "--json")
    assert [json.loads(line)["mutant"] for line in again.out.splitlines()] == [1]


def test_bad_names(kemu: Run) -> None:
    assert kemu("mutate", COIN, "--operator", "nonsense").code == 64
    assert kemu("mutate", COIN, "--instance", "nonsense").code == 64
