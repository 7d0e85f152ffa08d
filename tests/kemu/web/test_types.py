"""The types that the page's modules state hold, where TypeScript is there to check them."""

import shutil
import subprocess
from importlib.resources import files

import pytest

TSC = shutil.which("tsc") or ""
WORDS = "--allowJs --checkJs --noEmit --strict --target es2022 --module es2022 --lib es2022,dom,dom.iterable"


@pytest.mark.skipif(not TSC, reason="no TypeScript: `npm install -g typescript` gets what this test needs")
def test_types_hold() -> None:
    every = sorted(
        str(each) for each in files("kemu.web").joinpath("site").iterdir() if each.name.endswith(".js")
    )
    done = subprocess.run([TSC, *WORDS.split(), *every], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
