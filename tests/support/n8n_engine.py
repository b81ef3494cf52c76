"""The n8n nodes in n8n's own engine, in a process of node's."""

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import IO, Any

from node_packages import need_packages_of
from only_one import only_one
from repository import ROOT

PACKAGE = ROOT / "clients" / "n8n"
_execution_ids = count(1)

Item = dict[str, Any]


class N8nError(Exception):
    """What n8n would show: `name`, `message`, `description`, `httpCode`, `itemIndex`."""

    def __init__(self, shown: dict[str, Any]) -> None:
        self.shown = shown
        super().__init__(f"{shown.get('name')}: {shown.get('message')}\n{shown.get('stack', '')}")


@dataclass(frozen=True)
class N8nEngine:
    requests: IO[str]
    answers: IO[str]

    def ask(self, method: str, /, **params: Any) -> Any:
        """The method's result. Raises `N8nError` for what it throws."""
        self.requests.write(json.dumps({"method": method, "params": params}) + "\n")
        self.requests.flush()
        answer = json.loads(self.answers.readline())
        if "error" in answer:
            raise N8nError(answer["error"])
        return answer["result"]

    def execute(
        self,
        parameters: dict[str, Any],
        *items: Item,
        settings: dict[str, Any] | None = None,
        execution_id: str | None = None,
        access: dict[str, str] | None = None,
    ) -> list[list[Item]]:
        """What the node gives for these items, by output. Raises `N8nError` where it stops."""
        ended = self.ask(
            "execute",
            parameters=parameters,
            items=items or ({},),
            settings=settings or {},
            executionId=execution_id or new_execution_id(),
            access=access or {},
        )
        if "error" in ended:
            raise N8nError(ended["error"])
        outputs: list[list[Item]] = ended["outputs"]
        return outputs

    def run(self, parameters: dict[str, Any], *items: Item, **how: Any) -> list[dict[str, Any]]:
        """The JSON of what the node gives at its first output."""
        return [item["json"] for item in self.execute(parameters, *items, **how)[0]]


def new_execution_id() -> str:
    return str(next(_execution_ids))


def file_item(content: bytes, media_type: str, name: str) -> Item:
    """An item with this file as its binary data."""
    encoded = base64.b64encode(content).decode()
    return {"file": {"base64": encoded, "mimeType": media_type, "fileName": name}}


def need_built_package() -> Path:
    """Go on with the package, compiled as it would be published, or skip. Processes that share the
    tests compile once."""
    folder = need_packages_of(PACKAGE)
    wanted, stamp = _digest(folder), folder / "dist" / ".built"
    with only_one(folder / ".lock"):
        if not stamp.exists() or stamp.read_text() != wanted:
            run_script(folder, "build")
            stamp.write_text(wanted)
    return folder


def _digest(folder: Path) -> str:
    """What the compiled package is made of."""
    parts = ("credentials", "nodes", "icons")
    files = [folder / "package.json", folder / "tsconfig.json"]
    files += sorted(file for part in parts for file in (folder / part).rglob("*") if file.is_file())
    digest = sha256()
    for file in files:
        digest.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def run_script(folder: Path, name: str) -> None:
    """Run a script of the package's, and show what it says if it fails."""
    done = subprocess.run(("npm", "run", name), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def n8n_engine(package: Path, gateway_url: str, key: str, home: Path) -> Iterator[N8nEngine]:
    """An engine whose credential is this gateway's; n8n keeps its own settings in `home`."""
    with subprocess.Popen(
        ("node", str(package / "test" / "harness.mjs"), gateway_url),
        env={**os.environ, "API_KEY": key, "N8N_USER_FOLDER": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield N8nEngine(process.stdin, process.stdout)
        process.stdin.close()
