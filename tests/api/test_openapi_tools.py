"""The API's description and the tools that people use with it: linters, a generator of types."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from heliograph.faces.api.app import describe_api
from live_gateway import LiveGateway
from node_packages import need_packages

pytest_plugins = ("live_fixtures",)
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first


@pytest.fixture(scope="module")
def packages() -> Path:
    return need_packages("openapi")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(describe_api("https://gateway.example"), indent=1))
    return file


def run(packages: Path, program: str, *arguments: str, folder: Path) -> str:
    """What a program of the packages prints; one that fails is shown with all it said."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    done = subprocess.run(
        (str(packages / "node_modules" / ".bin" / program), *arguments),
        cwd=folder,
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_redocly_has_nothing_to_say(packages: Path, document: Path) -> None:
    # /contacts/sync/{job_id} is like /contacts/{contact_id}/profile-picture to it; no id is `sync`
    options = ("--format=json", "--skip-rule=no-ambiguous-paths")
    told = run(packages, "redocly", "lint", *options, document.name, folder=document.parent)
    assert json.loads(told)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_spectral_has_nothing_to_say(packages: Path, document: Path) -> None:
    rules = packages / "spectral.yaml"
    run(
        packages,
        "spectral",
        "lint",
        f"--ruleset={rules}",
        "--fail-severity=hint",
        document.name,
        folder=document.parent,
    )


def test_types_that_are_made_of_it_fit_the_gateway_and_words_added_later(
    packages: Path, tmp_path: Path, gateway: LiveGateway
) -> None:
    description = httpx.get(f"{gateway.base_url}/openapi.json", timeout=60).json()
    build_client(packages, tmp_path, description)
    done = subprocess.run(
        ("node", "client.js", description["servers"][0]["url"], gateway.demo.contact_phone),
        cwd=tmp_path,
        env={**os.environ, "API_KEY": gateway.demo.api_key},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "sent": "queued",
        "content": "Shall we?",
        "device": gateway.demo.session_name,
        "missing": "message_not_found",
        "later": ["added_later"] * 6,
    }


def build_client(packages: Path, folder: Path, description: object) -> None:
    """Make types, check the client against them, and compile it."""
    (folder / "openapi.json").write_text(json.dumps(description))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(packages / "node_modules")
    shutil.copy(packages / "client.ts", folder)
    run(packages, "openapi-typescript", "openapi.json", "--output", "described.ts", folder=folder)
    target = ("--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable")
    # what others declare, the browser's whole interface among it, is theirs to check
    run(packages, "tsc", "--strict", "--skipLibCheck", *target, "client.ts", folder=folder)
