"""Rules and data that mean harm, or mistakes without bounds: one clear error, soon, in little memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from time import monotonic

import pytest
from kemu_engine.batch.playout import playout
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import Diagnostic, RulesError, render
from kemu_grammar.syntax.ast import Span

from tests.rules import LIBRARY, game_in

pytestmark = pytest.mark.slow

SOON = 60  # seconds, on a machine that is busy with other things
ROOT = Path(__file__).parents[2]


def refused(text: str, file: str = "test.kemu") -> Diagnostic:
    """The one diagnostic of a game in which something goes wrong."""
    if "rules:" not in text:
        text += "\nrules:\n    end tie\n"
    began = monotonic()
    with pytest.raises(RulesError) as caught:
        instantiate(read_text('game "Test"\nplayers ann, ben\n' + text, file, LIBRARY))
    assert monotonic() - began < SOON
    (found,) = caught.value.diagnostics
    assert "\n" not in found.message and found.span.line > 0
    return found


def chain(link: str, last: str, length: int = 3000) -> str:
    return "\n".join(link.format(i, i + 1) for i in range(length)) + "\n" + last.format(length)


def in_function(*lines: str) -> str:
    return "fun f():\n" + "".join(f"    {line}\n" for line in lines) + "const c = f()"


ENDLESS = {
    "while": in_function("n = 0", "while true: n += 0", "return n"),
    "for": in_function("for a in 1..100000:", "    for b in 1..100000: pass", "return 1"),
    "repeat": in_function("repeat at most 10**12: pass", "return 1"),
    "comprehension": "const c = {a for a in 1..100000 for b in 1..100000 if b < a - b and b > a}",
    "rules": "state:\n    n: 0..9\n"
    + "".join(f"rule r{i}():\n    r{i + 1}()\n    r{i + 1}()\n" for i in range(40))
    + "rule r40():\n    n = 1\nrules:\n    r0()\n    end tie\n",
    "nested sets": "fun f(n: int): {{f(n - 1)}, {{f(n - 1)}}} if n > 0 else {0}\nconst c = text(f(200))",
    "calls": "fun f(n, m): 1 if n == 0 else f(n - 1, 2 * m) + f(n - 1, 2 * m + 1)\nconst c = f(60, 0)",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_what_never_ends_is_stopped(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemu_engine.static.work.STEPS", 500_000)
    assert refused(text).code == "E0703"


HUGE = {
    "grid": "domain D = grid(1..100000, 1..100000)",
    "hexes": "const c = hexes(100000)",
    "ring": "const c = ring(10**12)",
    "range": "const c = 1..10**12",
    "range of a function": "const c = range(10**12)",
    "product of domains": "domain D = (a: 1..1000, b: 1..1000)",
    "product of lists": "const c = product(1..1000, 1..1000)",
    "subsets": "const c = subsets(1..60, 30)",
    "large subsets": "const c = subsets(1..100000, 99999)",
    "comprehension": "const c = [(a, b) for a in 1..1000 for b in 1..1000]",
    "map": "const c = {(a, b): 1 for a in 1..1000 for b in 1..1000}",
    "closure": "const c = closure({0}, x -> {x + 1})",
    "doubled list": in_function("xs = [1]", "repeat at most 99: xs = xs + xs", "return xs"),
    "doubled text": 'fun f(n: int): f(n - 1) + f(n - 1) if n > 0 else "a"\nconst c = f(200)',
    "text in a text": in_function('t = "a"', 'repeat at most 99: t = "{t}{t}"', "return t"),
    "nested lists": "fun f(n: int): [f(n - 1), f(n - 1)] if n > 0 else []\nconst c = len({f(200)})",
    "records": "record R(a: 1..1000, b: 1..1000)\nstate:\n    m: map[R, bool]",
    "clauses in play": "state:\n    n: 0..9\nrules:\n"
    "    if max(a for a in 1..999 for b in 1..999 if a < n) > 1:\n        end tie\n    end tie",
    "range in play": "state:\n    n: 0..10**12\nrules:\n    for k in 0..n:\n        n = 0\n    end tie",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_what_is_too_large_is_refused(text: str) -> None:
    assert refused(text).code == "E0705"


DEEP = {
    "recursion": "fun f(n: int): f(n + 1)\nconst c = f(0)",
    "constants": chain("const c{} = c{} + 1", "const c{} = 1"),
    "functions": chain("fun f{}(n: 0..9): f{}(n)", "fun f{}(n: 0..9): n\nconst c = f0(1)"),
    "functions in play": "state:\n    n: 0..9\n"
    + chain("fun f{}: f{}() + n", "fun f{}: n\nrules:\n    if f0() == 2:\n        end tie\n    end tie"),
    "rules": "state:\n    n: 0..9\n"
    + chain("rule r{}:\n    r{}()", "rule r{}:\n    n = 1\nrules:\n    r0()\n    end tie", 9000),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_what_is_too_deep_is_refused(text: str) -> None:
    assert refused(text).code == "E0706"


@pytest.mark.parametrize("text", ["record R(a: R)", "record R(a: S)\nrecord S(a: R)", "domain R = (a: R)"])
def test_what_holds_itself_is_refused(text: str) -> None:
    assert refused(text + "\nstate:\n    r: R").code == "E0702"


WIDE = {
    "power": "const c = 10**30",
    "product": "fun f(n: int): f(n - 1) * 1000 if n > 0 else 1\nconst c = f(100)",
    "difference": "const c = 0 - 2**62 - 2**62",
    "product in play": "state:\n    n: 0..10**18\nrules:\n    if n * n == 3:\n        end tie\n    end tie",
    "sum in play": "state:\n    m: map[1..100, 0..10**17]\nrules:\n    if sum(m[k] for k in 1..100) == 3:\n"
    "        end tie\n    end tie",
}


@pytest.mark.parametrize("text", WIDE.values(), ids=WIDE.keys())
def test_numbers_fit_63_bits(text: str) -> None:
    assert refused(text).code == "E0711"


@pytest.mark.parametrize(
    "kind",
    [
        "map[1..2000, map[1..2000, 0..9]]",
        "map[1..100000, list[0..9, 100]]",
        "list[0..9, 10**12]",
        "map[k in 1..100000, bag[1..100000, k]]",
        "map[1..100000, set[1..100000]]",
    ],
)
def test_a_state_is_no_larger_than_can_be_kept(kind: str) -> None:
    assert refused(f"state:\n    m: {kind}").code == "E0717"


def test_each_is_bounded_as_well() -> None:
    assert refused("state:\n    each p in 1..100000:\n        m: map[1..100000, 0..9]").code == "E0717"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("repeat at most 10**9: pass", "E0727"),
        ("x = roll 100000 of 1..6", "E0742"),
        ("x = roll -1 of 1..6", "E0742"),
    ],
)
def test_laps_and_dice_are_bounded(statement: str, code: str) -> None:
    assert refused(f"rules:\n    {statement}\n    end tie").code == code


def test_a_loop_around_nothing_comes_to_its_end() -> None:
    game = game_in(
        """
        game "Test"
        players ann, ben
        state:
            n: 0..1
        rules:
            choose go by ann
            repeat at most 10**6:
                if n == 1:
                    break
            end tie
        """
    )
    began = monotonic()
    fault = playout(game, 1, 0).fault
    assert fault is not None and fault.code == "overrun"
    assert monotonic() - began < SOON


TABLE = 'enum Suit: hearts, spades\ntable Tile from "tiles.csv": count: 1..20; land: set[Suit]; twin: Suit?\n'
HEAD = "name,count,land,twin\n"


@pytest.mark.parametrize(
    ("data", "code", "line", "marked"),
    [
        ("", "E0315", 1, ""),
        (HEAD, "E0315", 1, "name,count,land,twin"),
        ("name,count,land\natoll,3,-\n", "E0753", 1, "name,count,land"),
        ("name,count,land,twins\natoll,3,-,-\n", "E0753", 1, "name,count,land,twins"),
        ("name,count,land,twin,twin\natoll,3,-,-,-\n", "E0753", 1, "twin"),
        ("name,count,land,twin,size\natoll,3,-,-,-\n", "E0753", 1, "size"),
        (HEAD + "atoll,3,hearts\n", "E0760", 2, "atoll,3,hearts"),
        (HEAD + "atoll,3,-,-\nreef,1,-,-,-\n", "E0760", 3, "reef,1,-,-,-"),
        (HEAD + "atoll, many ,-,-\n", "E0752", 2, "many"),
        (HEAD + "atoll,21,-,-\n", "E0752", 2, "21"),
        (HEAD + "atoll,,-,-\n", "E0752", 2, ""),
        (HEAD + "atoll,1_0,-,-\n", "E0752", 2, "1_0"),
        (HEAD + "atoll," + "9" * 5000 + ",-,-\n", "E0752", 2, "9" * 5000),
        (HEAD + 'atoll,3,"hearts clubs",-\n', "E0752", 2, '"hearts clubs"'),
        (HEAD + "atoll,3,-,-\n\nreef,1,-,clubs\n", "E0752", 4, "clubs"),
        (HEAD + ",3,-,-\n", "E0315", 2, ""),
        (HEAD + "the atoll,3,-,-\n", "E0315", 2, "the atoll"),
        (HEAD + "in,3,-,-\n", "E0315", 2, "in"),
        (HEAD + "atoll,3,-,-\nreef,3,-,-\natoll,3,-,-\n", "E0302", 4, "atoll"),
        (HEAD + "atoll,3,-,-\nhearts,3,-,-\n", "E0302", 3, "hearts"),
        (HEAD + 'atoll,3,-,-\nreef,3,"-,-\n', "E0760", 3, 'reef,3,"-,-'),
        (HEAD + 'atoll,3,-,"' + "a" * 200_000, "E0315", 2, "a"),
    ],
)  # fmt: skip
def test_a_fault_in_a_data_file_is_shown_there(
    data: str, code: str, line: int, marked: str, tmp_path: Path
) -> None:
    (tmp_path / "tiles.csv").write_text(data)
    found = refused(TABLE, str(tmp_path / "test.kemu"))
    assert (found.code, found.span.file, found.span.line) == (code, str(tmp_path / "tiles.csv"), line)
    shown = [*data.splitlines(), ""][line - 1]
    assert shown[found.span.column - 1 : found.span.end_column - 1].strip(", ") == marked.strip(", ")
    assert f"tiles.csv:{line}:" in render(found, data)


def test_a_data_file_that_is_no_text_says_where(tmp_path: Path) -> None:
    (tmp_path / "tiles.csv").write_bytes(HEAD.encode() + "r\u00e9cif,3".encode() + b"\xff,-,-\n")
    found = refused(TABLE, str(tmp_path / "test.kemu"))
    assert (found.code, found.span) == ("E0102", Span(str(tmp_path / "tiles.csv"), 2, 8, 2, 9))


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_data_file_that_is_not_there_is_said_where_it_is_wanted(kind: str, tmp_path: Path) -> None:
    if kind == "folder":
        (tmp_path / "tiles.csv").mkdir()
    found = refused(TABLE, str(tmp_path / "test.kemu"))
    assert (found.code, found.span) == ("E0315", Span(str(tmp_path / "test.kemu"), 4, 17, 4, 28))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SECRET", "named without a folder"),
        ("../secret.csv", "named without a folder"),
        ("..\\\\secret.csv", "named without a folder"),
        ("/dev/zero", "named without a folder"),
        ("..", "named without a folder"),
        ("link.csv", "a link out of the folder"),
        ("round.csv", "symbolic links"),
        ("pipe.csv", "no file, but a device"),
        ("large.csv", "longer than 2,000,000 characters"),
    ],
)
def test_a_table_reads_nothing_but_a_file_beside_its_rules(name: str, said: str, tmp_path: Path) -> None:
    """Of others neither is a line shown, nor do they take time."""
    (tmp_path / "secret.csv").write_text("name,password\nroot,0\n")
    (own := tmp_path / "own").mkdir()
    (own / "link.csv").symlink_to(tmp_path / "secret.csv")
    (own / "round.csv").symlink_to(own / "round.csv")
    os.mkfifo(own / "pipe.csv")
    with (own / "large.csv").open("wb") as file:
        file.truncate(10**12)
    name = name.replace("SECRET", str(tmp_path / "secret.csv"))
    found = refused(TABLE.replace("tiles.csv", name), str(own / "test.kemu"))
    assert (found.code, found.span.file, found.span.line) == ("E0315", str(own / "test.kemu"), 4)
    assert said in found.message and "password" not in found.message


def test_a_table_may_stand_in_a_link_to_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text(f"{HEAD}atoll,3,-,-\n")
    (tmp_path / "tiles.csv").symlink_to("real.csv")
    text = f'game "Test"\nplayers ann, ben\n{TABLE}rules:\n    end tie\n'
    assert read_text(text, str(tmp_path / "test.kemu"), LIBRARY).tables


FLEET = dedent(
    """
    game "Fleet"
    players 2..3: red, blue, green
    option level: beginner | full = full
    option ships: 1..9 = 3
    option storms: bool = false
    needs not storms or len(Player) == 2
    rules:
        end tie
    """
)


@pytest.mark.parametrize(
    ("settings", "players", "message"),
    [
        ({"levl": "full"}, None, "did you mean `level`?"),
        ({"wind": "full"}, None, "it has level, ships, storms"),
        ({"level": "begginer"}, None, "did you mean `beginner`?"),
        ({"level": "x"}, None, "is one of beginner, full, not `x`"),
        ({"ships": "10"}, None, "is a number from 1 to 9, not `10`"),
        ({"ships": "9" * 5000}, None, "is a number from 1 to 9"),
        ({"ships": "two"}, None, "is a number from 1 to 9, not `two`"),
        ({"ships": "٣x"}, None, "is a number from 1 to 9"),
        ({"storms": "maybe"}, None, "is true or false, not `maybe`"),
        ({}, 4, "is for 2 to 3 players, not 4"),
        ({}, 0, "is for 2 to 3 players, not 0"),
        ({"storms": True}, 3, "needs not storms or len(Player) == 2; here level=full, ships=3, storms=true"),
    ],
)  # fmt: skip
def test_wrong_settings_are_answered_in_one_sentence(
    settings: dict[str, str | int | bool], players: int | None, message: str
) -> None:
    with pytest.raises(SettingError) as caught:
        instantiate(read_text(FLEET, "fleet.kemu", LIBRARY), settings, players)
    assert message in str(caught.value) and len(str(caught.value)) < 6000


def test_settings_are_understood() -> None:
    made = instantiate(read_text(FLEET, "fleet.kemu", LIBRARY), {"storms": "yes", "ships": "4"}, 2)
    assert Game(made).initial().is_end


@pytest.mark.parametrize("name", ["nested lists", "subsets", "map", "closure"])
def test_little_memory_is_enough(name: str) -> None:
    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (700_000_000, 700_000_000))
        resource.setrlimit(resource.RLIMIT_CPU, (SOON, SOON))

    program = (
        "import sys; from tests.engine.test_hostile import HUGE, refused;"
        "print(refused(HUGE[sys.argv[1]]).code)"
    )
    command = [sys.executable, "-c", program, name]
    done = subprocess.run(
        command, cwd=ROOT, preexec_fn=bounds, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.stdout.strip() == "E0705"
