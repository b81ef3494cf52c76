"""Files of others in the dashboard are what their authors have published, and named."""

import hashlib
import re
from pathlib import Path

import heliograph

FOLDER = Path(heliograph.__path__[0]) / "faces" / "dashboard" / "static" / "vendor"
ROW = re.compile(r"^\| (\S+) \| .+ \| ([0-9a-f]{64}) \|$", re.MULTILINE)


def test_each_is_named_with_its_digest_and_has_its_licence() -> None:
    named = dict(ROW.findall((FOLDER / "README.md").read_text()))
    there = {path.name for path in FOLDER.iterdir() if path.suffix in (".js", ".css")}
    assert set(named) == there
    for name, digest in named.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest
        assert (FOLDER / f"{name.partition('.')[0]}.LICENSE").exists()
