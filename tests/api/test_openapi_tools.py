"""The API's description and the tools that people use with it: linters, generators of clients.

None of them may have anything to say about it: a warning is of something that a client lacks.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from heliograph.faces.api.openapi import read_description
from live_gateway import LiveGateway
from node_packages import need_packages

pytest_plugins = ("live_fixtures",)
pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(300),  # the packages may have to be installed first
]


@pytest.fixture(scope="module")
def packages() -> Path:
    return need_packages("openapi")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(read_description("https://gateway.example"), indent=1))
    return file


def run(packages: Path, program: str, *arguments: str, folder: Path) -> tuple[str, str]:
    """What a program of the packages prints, and its warnings; one that fails is shown with all."""
    quiet = {
        "REDOCLY_TELEMETRY": "off",
        "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
        "NODE_NO_WARNINGS": "1",  # Node's own, of what it will change one day
    }
    done = subprocess.run(
        (str(packages / "node_modules" / ".bin" / program), *arguments),
        cwd=folder,
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


def test_redocly_has_nothing_to_say(packages: Path, document: Path) -> None:
    # /contacts/sync/{job_id} is like /contacts/{contact_id}/profile-picture to it; no id is `sync`
    options = ("--format=json", "--skip-rule=no-ambiguous-paths")
    told, _ = run(packages, "redocly", "lint", *options, document.name, folder=document.parent)
    assert json.loads(told)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_spectral_has_nothing_to_say(packages: Path, document: Path) -> None:
    rules = packages / "spectral.yaml"
    options = (f"--ruleset={rules}", "--fail-severity=hint")
    told = run(packages, "spectral", "lint", *options, document.name, folder=document.parent)
    assert told == ("No results with a severity of 'hint' or higher found!\n", "")


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
        "event": True,
        "eventAddedLater": "another: added.later",
        "missing": "message_not_found",
        "later": ["added_later"] * 6,
    }


def build_client(packages: Path, folder: Path, description: object) -> None:
    """Make types with both generators, check the client against them, and compile it."""
    (folder / "openapi.json").write_text(json.dumps(description))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(packages / "node_modules")
    generators = {
        "openapi-typescript": ("openapi.json", "--output", "described.ts"),
        "openapi-ts": ("--input", "openapi.json", "--output", "hey", "--no-log-file"),
    }
    for program, arguments in generators.items():
        _, warnings = run(packages, program, *arguments, folder=folder)
        assert warnings == "", program
    for file in ("client.ts", "events.ts"):
        shutil.copy(packages / file, folder)
    target = ("--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")
    # what others declare, the browser's whole interface among it, is theirs to check
    libraries = ("--lib", "es2022,dom,dom.iterable", "--skipLibCheck")
    files = ("client.ts", "events.ts", "hey/index.ts")
    run(packages, "tsc", "--strict", *libraries, *target, *files, folder=folder)
