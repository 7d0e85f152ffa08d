"""The types that the page's modules state hold, where TypeScript is there to check them."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

SITE = Path(str(files("kemu.web"))) / "site"
TSC = shutil.which("tsc") or ""
WORDS = "--allowJs --checkJs --noEmit --strict --target es2022 --module es2022 --lib es2022,dom,dom.iterable"


@pytest.mark.skipif(not TSC, reason="no TypeScript: `npm install -g typescript` gets what this test needs")
@pytest.mark.parametrize("exported", [False, True], ids=["served", "exported"])
def test_types_hold(tmp_path: Path, exported: bool) -> None:
    """Of the page as a server gives it out, and as `--export` writes it."""
    shutil.copytree(SITE, tmp_path, dirs_exist_ok=True)
    if exported:
        (tmp_path / "here" / "source.js").replace(tmp_path / "source.js")
        (tmp_path / "here" / "service-worker.js").unlink()  # another library of types
        every = sorted(map(str, tmp_path.rglob("*.js")))
    else:
        every = sorted(map(str, tmp_path.glob("*.js")))
    done = subprocess.run([TSC, *WORDS.split(), *every], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
