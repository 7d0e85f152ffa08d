"""True bundles of small games, forged in every place: nothing false may be confirmed, and nothing break down.

    .venv/bin/python -m tests.checker.forge needs_lemma pig [--all]

For each game a bundle as it comes and one made without exhaustive search; its manifest, proofs and plays are
forged (`forge_programs.py`: what it is about). What is true is known from exhaustive search. Without `--all`
every seventh forgery is tried. It ends with 1 if something false was confirmed, the checker broke down, or
took longer than it may.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner
from kemu.cli.main import main as kemu
from kemu_checker.__main__ import _run as run
from kemu_verifier.strategy import strategy
from kemu_verifier.symbolic import expressions

from tests.checker.trees import as_json, forged_json, forged_texts

HERE = Path(__file__).parent
GALLERY = HERE.parent / "gallery"
GAMES = (
    "climb",
    "needs_lemma",
    "pig",
    "kuhn",
    "forced_loop",
    "stuck",
    "two_winners",
    "not_inductive",
    "leak",
)
GAMES += ("true_by_search", "optional_loop", "tic_tac_toe", "relay", "missing_value", "lost_for_ever")
GAMES += ("ring", "sealed", "together", "silent_loop", "three", "undetermined", "sown")
NODES = {"sown": 3_000}
"""Terms beyond which a game is too large to be read without its loops cut."""
DEFINITE = ("proved", "refuted", "possible", "impossible")
SECONDS = 60
"""Of work for one forgery."""
EVERY = 7
PAIRED = 3
"""So many plays of a bundle are compared with each other."""
LINE = re.compile(r"^(?P<key>.*?) +(?P<said>proved|refuted|possible|impossible) +confirmed ", re.M)


class Late(BaseException):
    """The checker takes too long."""


@dataclass(frozen=True)
class Forgery:
    """Files of a bundle with another content (none: the file is gone), and the question concerned, if one."""

    words: str
    files: dict[str, bytes | None]
    only: str | None = None


def patch_nodes(nodes: int) -> AbstractContextManager[object]:
    """The prover reads no more terms of a game than so many."""
    return patch.object(expressions, "MOST_NODES", nodes)


def bundle(rules: Path, folder: Path, blind: bool, seconds: float = 4) -> Path:
    """The true bundle; `blind`: made without exhaustive search; `seconds`: of computing for a question."""
    given = {"STATES": 1, "SMALL": 0, "NEARLY": 1_000} if blind else {}
    nodes = NODES.get(rules.stem, expressions.MOST_NODES)
    with patch.multiple(strategy, **(given or {"STATES": strategy.STATES})), patch_nodes(nodes):
        asked = ["verify", str(rules), "--seconds", str(seconds), "--bundle", str(folder)]
        done = CliRunner().invoke(kemu, asked)
    assert isinstance(done.exception, SystemExit | None), f"{done.exception!r}: {done.output}"
    assert done.exit_code in range(6), f"exit code {done.exit_code}: {done.output}"
    return folder


def truth(folder: Path) -> dict[str, str]:
    """The verdicts of a bundle, by the keys of the questions."""
    answers = json.loads((folder / "manifest.json").read_text())["answers"]
    return {each["key"]: each["verdict"] for each in answers}


def forgeries(folder: Path, others: list[Path]) -> Iterator[Forgery]:
    """All changes of one bundle; `others` are bundles of other games, and another of this one."""
    manifest = json.loads((folder / "manifest.json").read_text())
    traces = sorted(path.relative_to(folder).as_posix() for path in folder.glob("traces/*.json"))
    yield from _of_manifest(manifest, [name for name in traces if not name.endswith(".itf.json")])
    files = sorted(path for part in ("proofs", "traces") for path in (folder / part).glob("*"))
    files = [path for path in files if not path.name.endswith(".itf.json")]
    for path in files:
        name, text = path.relative_to(folder).as_posix(), path.read_text()
        changed = (
            forged_texts(text)
            if path.suffix == ".txt"
            else ((words, as_json(other)) for words, other in forged_json(json.loads(text)))
        )
        for words, other in changed:
            yield Forgery(f"{name}: {words}", {name: other.encode()})
        yield Forgery(f"{name} deleted", {name: None})
        for words, other in (("empty", ""), ("half", text[: len(text) // 2]), ("twice", text * 2)):
            yield Forgery(f"{name} is {words}", {name: other.encode()})
        for other in [each for each in files if each.suffix == path.suffix and each != path]:
            yield Forgery(f"{name} is {other.name}", {name: other.read_bytes()})
        for each in others:
            for other in each.glob(f"{path.parent.name}/*{path.suffix}"):
                yield Forgery(f"{name} is {each.name}'s {other.name}", {name: other.read_bytes()})
    for each in others:
        strange = {path.relative_to(each).as_posix(): path.read_bytes() for path in each.rglob("*.*")}
        kept = ("program.txt", "claims.txt", "rules/")
        strange = {name: data for name, data in strange.items() if not name.startswith(kept)}
        yield Forgery(f"all but the rules is {each.name}'s", strange)


def _of_manifest(manifest: dict, traces: list[str]) -> Iterator[Forgery]:
    def with_answers(words: str, answers: list, only: str | None = None) -> Forgery:
        text = as_json({**manifest, "answers": answers})
        return Forgery(f"manifest: {words}", {"manifest.json": text.encode()}, only)

    answers, names = manifest["answers"], tuple(manifest["proofs"])
    for i, answer in enumerate(answers):
        key = answer["key"]
        for words, other in forged_json({k: v for k, v in answer.items() if k != "said"}, names):
            yield with_answers(f"{key}: {words}", [*answers[:i], other, *answers[i + 1 :]], key)
        for kind in _comparisons(names, traces) if key in ("informed", "no_leak") else ():
            for verdict in (answer["verdict"], _turned(answer["verdict"])):
                other = {"key": key, "verdict": verdict, "evidence": kind}
                yield with_answers(
                    f"{key} {verdict} by {kind}", [*answers[:i], other, *answers[i + 1 :]], key
                )
        for j, another in enumerate(answers):
            if i != j:
                other = {**another, "key": key}
                yield with_answers(
                    f"{key} as {another['key']}", [*answers[:i], other, *answers[i + 1 :]], key
                )
                other = {**answer, "evidence": another["evidence"]}
                turned = _turned(answer["verdict"])
                for verdict in (answer["verdict"], turned):
                    now = [*answers[:i], {**other, "verdict": verdict}, *answers[i + 1 :]]
                    yield with_answers(f"{key} {verdict} with the evidence of {another['key']}", now, key)
    rest = {key: value for key, value in manifest.items() if key not in ("answers", "files", "made")}
    for words, other in forged_json(rest):
        if isinstance(other, dict):
            whole = {**other, "answers": answers, "files": manifest["files"], "made": manifest["made"]}
            yield Forgery(f"manifest: {words}", {"manifest.json": as_json(whole).encode()})
    for words, other in forged_json(answers[:1]):
        yield with_answers(f"answers: {words}", other)


def _comparisons(names: tuple[str, ...], traces: list[str]) -> Iterator[dict]:
    """All that a bundle could give for a question about what players know."""
    yield from ({"kind": kind} for kind in ("nothing hidden", "all plays", "flow"))
    yield from ({"kind": "two states", "proofs": list(some)} for some in ((), *((name,) for name in names)))
    for seer, one, other in product(range(4), traces[:PAIRED], traces[:PAIRED]):
        yield {"kind": "two plays", "traces": [one, other], "seer": seer}


def _turned(verdict: str) -> str:
    turned = {"proved": "refuted", "possible": "impossible"}
    return {**turned, **{v: k for k, v in turned.items()}}.get(verdict, "proved")


@contextmanager
def forged(folder: Path, forgery: Forgery) -> Iterator[None]:
    """The bundle, forged for as long as this lasts."""
    before = {name: _content(folder / name) for name in forgery.files}
    try:
        _put(folder, forgery.files)
        yield
    finally:
        _put(folder, before)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _put(folder: Path, files: dict[str, bytes | None]) -> None:
    for name, data in files.items():
        if data is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)


def checked(
    folder: Path, only: str | None = None, seconds: float = SECONDS, each: float = 5.0, states: int = 20_000
) -> str:
    """What the checker prints."""
    given = argparse.Namespace(
        folder=folder, solver="glucose", seconds=seconds, each=each, states=states, only=only
    )
    out = io.StringIO()
    with redirect_stdout(out):
        code = run(given)
    return f"{out.getvalue()}exit code {code}"


def wrong(printed: str, true: dict[str, str]) -> list[str]:
    """The false verdicts that are called confirmed."""
    found = [(match["key"], match["said"]) for match in LINE.finditer(printed)]
    return [f"{key} is confirmed as {said}" for key, said in found if true.get(key, said) != said]


def tried(folder: Path, forgery: Forgery, true: dict[str, str]) -> list[str]:
    """What is wrong with the checker's answer to a forgery."""
    found: list[str] = []
    with forged(folder, forgery):
        try:
            with within(SECONDS) as late:
                found = wrong(checked(folder, forgery.only), true)
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]
    return [f"more than {SECONDS} seconds"] if late else found


@contextmanager
def within(seconds: int) -> Iterator[list[str]]:
    """Ends what takes longer; what is given is then not empty."""
    late: list[str] = []
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield late
    except Late:
        late.append("late")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _late(*_: object) -> None:
    raise Late


def bundles(games: list[str], above: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Bundles of games of the gallery, two of each, and what is true of them."""
    for game in games:
        here = (HERE / f"{game}.kemu", GALLERY / f"{game}.kemu")
        rules = next((path for path in here if path.is_file()), Path(game))
        plain = bundle(rules, above / game, blind=False)
        true = {key: said for key, said in truth(plain).items() if said in DEFINITE}
        yield plain, true
        yield bundle(rules, above / f"{game}-blind", blind=True), true


def command(
    module: str,
    doc: str | None,
    forgeries: Callable[[Path, list[Path]], Iterator[Forgery]],
    tried: Callable[[Path, Forgery, dict[str, str]], list[str]],
) -> int:
    """Makes bundles of the games that are named, and tries forgeries of them."""
    parser = argparse.ArgumentParser(f"python -m {module}", description=(doc or "").split("\n")[0])
    parser.add_argument("games", nargs="*", default=list(GAMES), help="of the gallery, or of the library")
    parser.add_argument("--every", type=int, default=EVERY, help=f"of how many one is tried; else {EVERY}")
    parser.add_argument("--all", action="store_const", dest="every", const=1, help="the same as --every 1")
    given = parser.parse_args()
    sys.setrecursionlimit(20_000)
    seen: Counter[str] = Counter()
    above = Path(tempfile.mkdtemp(prefix="kemu-forge-"))
    try:
        made = list(bundles(given.games, above))
        for folder, true in made:
            begun, count, bad = time.monotonic(), 0, 0
            others = [each for each, _ in made if each != folder][:3]
            for number, forgery in enumerate(forgeries(folder, others)):
                if number % given.every == 0:
                    count += 1
                    for problem in tried(folder, forgery, true):
                        bad += 1
                        print(f"{folder.name}: {forgery.words}: {problem}", flush=True)
            seen["forgeries"] += count
            seen["bad"] += bad
            print(
                f"{folder.name}: {count} forgeries, {bad} bad, {time.monotonic() - begun:.0f} s", flush=True
            )
    except KeyboardInterrupt:
        print("not all of them")
    finally:
        shutil.rmtree(above)
    print(f"{seen['forgeries']} forgeries, {seen['bad']} bad")
    return 1 if seen["bad"] else 0


if __name__ == "__main__":
    sys.exit(command("tests.checker.forge", __doc__, forgeries, tried))
