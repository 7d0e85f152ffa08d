"""The checker, run beside us: it shares no code with Kemu, and gets files only."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kemu.recheck.rules import files_of


def checked(folder: Path, texts: Mapping[str, bytes], options: Sequence[str]) -> int:
    """Has a bundle checked against these texts, whatever its own are; what it says is printed. The exit
    code. Nothing of the present folder is imported."""
    with tempfile.TemporaryDirectory(prefix="kemu-recheck-") as above:
        copy = Path(above) / (folder.resolve().name or "bundle")
        for path in files_of(folder):
            beside = copy / path.relative_to(folder)
            beside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, beside)
        for name, text in texts.items():
            (copy / name).write_bytes(text)
        command = [sys.executable, "-P", "-m", "kemu_checker", str(copy), *options]
        return subprocess.run(command, check=False).returncode
