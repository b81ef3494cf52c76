"""Write the description of the API, and generate the Python client from it: `make clients`.

`openapi.json` beside this file is the one that the gateway serves.

`--output` names another folder than this one, for a test that compares the two.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from heliograph.faces.api.app import list_operations
from heliograph.faces.api.openapi import make_description

CLIENTS = Path(__file__).resolve().parent
GENERATOR = CLIENTS / "python" / "generator"
GENERATED = Path("python/src/heliograph_client/generated")
TOOLS = Path(sys.prefix) / "clients" / "bin"
TIMEOUT = 120.0  # seconds; it takes about five


def write_description(folder: Path) -> dict[str, Any]:
    """Write the description to `openapi.json`, the same on each machine, and return it."""
    description = make_description(list_operations())
    text = json.dumps(description, indent=2, ensure_ascii=False)
    (folder / "openapi.json").write_text(f"{text}\n", encoding="utf-8")
    return description


def generate_python(description: dict[str, Any], folder: Path) -> None:
    """Replace the generated part of the Python client in that folder."""
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch) / "openapi.json", Path(scratch) / "generated"
        prepared = prepare_for_python(description)
        source.write_text(json.dumps(prepared), encoding="utf-8")
        _run_generator(source, made)
        _take_ids_as_strings(made, _list_sent(prepared))
        shutil.rmtree(folder / GENERATED, ignore_errors=True)
        shutil.copytree(made, folder / GENERATED, ignore=shutil.ignore_patterns(".ruff_cache"))


def prepare_for_python(description: dict[str, Any]) -> dict[str, Any]:
    """Return the description as the generator should read it.

    Answers that are errors are left out: the part that is written by hand raises them. A parameter
    `Authorization` is to be ignored (OpenAPI 3.1, "Parameter Object"), which the generator doesn't.
    """
    prepared: dict[str, Any] = json.loads(json.dumps(description))
    for operation in _operations(prepared):
        responses = operation["responses"]
        operation["responses"] = {
            status: answer for status, answer in responses.items() if status.startswith("2")
        }
        operation["parameters"] = [
            each for each in operation.get("parameters", []) if each.get("name") != "Authorization"
        ]
    _fill_in_constants(prepared)
    return prepared


def _fill_in_constants(description: dict[str, Any]) -> None:
    """Let the classes of what is only sent have their one `type` without being told."""
    schemas = description["components"]["schemas"]
    for schema in (schemas[name] for name in _list_sent(description)):
        for name, member in schema.get("properties", {}).items():
            if "const" in member and name in schema["required"]:
                member["default"] = member["const"]
                schema["required"].remove(name)


def _list_sent(description: dict[str, Any]) -> set[str]:
    """Return the names of the schemas of what is sent, and never read."""
    schemas = description["components"]["schemas"]
    operations = list(_operations(description))
    sent = _reachable([each.get("requestBody") for each in operations], schemas)
    read = _reachable(
        [each["responses"] for each in operations] + [description["webhooks"]], schemas
    )
    return sent - read


def _take_ids_as_strings(made: Path, names: set[str]) -> None:
    """Let the classes of what is only sent be made with ids as callers have them."""
    for name in names:
        file = made / "models" / f"{re.sub('(?<!^)(?=[A-Z])', '_', name).lower()}.py"
        if file.exists():
            text = file.read_text("utf-8")
            member = r"^(    \w+: (?!.*list)[^=\n]*)\bUUID\b"
            file.write_text(re.sub(member, r"\1str | UUID", text, flags=re.MULTILINE), "utf-8")


def _reachable(value: Any, schemas: dict[str, Any]) -> set[str]:
    """Return the names of the schemas that are referred to in here, and in those."""
    found: set[str] = set()
    waiting = list(_references(value))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(schemas[name])
    return found


def _references(value: Any) -> Iterator[str]:
    text = json.dumps(value)
    return (found[1] for found in re.finditer(r'"#/components/schemas/([^"]+)"', text))


def _operations(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in description["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict):
                yield operation


def _run_generator(source: Path, into: Path) -> None:
    """Run it. What it warns of would be missing from the client, so that is a failure, too."""
    subprocess.run(
        (
            str(TOOLS / "openapi-python-client"),
            "generate",
            f"--path={source}",
            f"--output-path={into}",
            f"--config={GENERATOR / 'config.json'}",
            f"--custom-template-path={GENERATOR / 'templates'}",
            "--meta=none",
            "--fail-on-warning",
        ),
        env={**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"},
        stdout=sys.stderr,
        check=True,
        timeout=TIMEOUT,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=CLIENTS)
    folder = parser.parse_args().output
    generate_python(write_description(folder), folder)


if __name__ == "__main__":
    main()
