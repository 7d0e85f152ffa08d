"""`kemu mutate`: the table, the survivors, and a line of JSON for each mutant."""

import json

from kemu.render.mutants import summary
from kemu_verifier.mutate.fate import Fate, Judged

from tests.kemu.conftest import COIN, Run


def test_table_and_survivors(kemu: Run) -> None:
    done = kemu("mutate", COIN, "--limit", "3", "--no-prover", "--seconds", "0.5")
    assert done.code == 0, done.err
    first, *rest = done.out.splitlines()
    assert "3 of 26 mutants, judged in as it stands" in first
    assert rest[0].split()[:1] == ["operator"]
    assert rest[-1].startswith(tuple("0123")) and "of 3 killed or proved equivalent" in rest[-1]


def test_it_is_said_what_a_number_of_survivors_means() -> None:
    caught, lost = (Judged(n, "", 1, "", "", Fate(kind), 0.0) for n, kind in enumerate(("check", "survived")))
    assert summary([caught, caught]) == "2 of 2 killed or proved equivalent, 100.0%"
    assert summary([caught, lost]).endswith(
        ", 50.0%: 1 survived, and each wants a claim or an example that would notice it"
    )
    assert summary([lost]).endswith("0.0%: no claim and no example of this file depends on what was changed")


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
