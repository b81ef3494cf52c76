"""All tests with each version that the README promises: `make matrix`.

One version after another; those that are not installed here are said. What each of them prints is
in `.matrix/`. `make matrix ONLY=postgresql-16` runs one.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from matrix import postgresql, pythons
from repository import ROOT

FOLDER = ROOT / ".matrix"
PYTEST = ("-m", "pytest", "-q", "--dist", "loadfile", "--no-loadscope-reorder")
TESTS = (*PYTEST, "--ignore", "tests/chaos")


def main(only: str, workers: str) -> int:
    FOLDER.mkdir(exist_ok=True)
    console = Console()
    table = Table("version", "tests", "minutes", title="All tests, without the faults")
    every = [f"python-{version}" for version in pythons.VERSIONS]
    every += [f"postgresql-{version}" for version in postgresql.VERSIONS]
    failed = 0
    for name in [name for name in every if only in ("", name)]:
        console.print(f"{name} …")
        began = time.monotonic()
        outcome, is_good = _run(name, workers)
        failed += not is_good
        table.add_row(name, outcome, f"{(time.monotonic() - began) / 60:.1f}")
        console.print(f"{name}: {outcome}")
    console.print(table)
    return failed


def _run(name: str, workers: str) -> tuple[str, bool]:
    kind, _, version = name.partition("-")
    if kind == "postgresql":
        with postgresql.running_postgresql(version) as url:
            return _test(Path(sys.executable), name, workers, {"HELIOGRAPH_TEST_DATABASE_URL": url})
    python = pythons.find_python(version)
    if python is None:
        return "not tried: this version is not installed here", not os.environ.get("CI")
    return _test(pythons.make_environment(python, FOLDER / name), name, workers, {})


def _test(python: Path, name: str, workers: str, environment: dict[str, str]) -> tuple[str, bool]:
    log = FOLDER / f"{name}.log"
    with log.open("wb") as output:
        done = subprocess.run(
            [python, *TESTS, "-n", workers],
            cwd=ROOT,
            check=False,
            env={**os.environ, **environment},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    lines = log.read_text(errors="replace").splitlines()
    return (lines[-1].strip("= ") if lines else "nothing was run"), done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(os.environ.get("ONLY", ""), os.environ.get("PYTEST_WORKERS", "2")))
