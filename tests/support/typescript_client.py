"""The client for TypeScript: built once, and installed in a project in which programs use it."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from node_packages import need_packages_of
from only_one import only_one
from repository import ROOT

CLIENT = ROOT / "clients" / "typescript"
PRELUDE = """\
import { Heliograph, HeliographError } from "heliograph-client";
import { WebhookVerificationError, verifyWebhook } from "heliograph-client";

const baseUrl = process.env.HELIOGRAPH_URL ?? "http://127.0.0.1:8000";
const apiKey = process.env.HELIOGRAPH_API_KEY ?? "hg_x";
const heliograph = new Heliograph({ baseUrl, apiKey });
"""
PRINTING = """\
const print = (value) => console.log(JSON.stringify(value ?? null));

/** Print the error with which the call ends, or "nothing". */
async function attempt(call) {
  try {
    await call();
    print("nothing");
  } catch (error) {
    print([error.constructor.name, error.message]);
  }
}
"""
"""What programs begin with that are not whole by themselves."""

_PATIENCE = 60.0
_BLOCK = re.compile(r"^```ts\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"// ([a-z]+)\.mjs\n")
_STRICT = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")
_TARGET = ("--target", "es2022", "--module", "nodenext", "--types", "node")


def find_examples() -> tuple[dict[str, str], list[str]]:
    """The whole programs of the package's README, by name, and the other pieces of code."""
    programs, pieces = {}, []
    for code in _BLOCK.findall((CLIENT / "README.md").read_text()):
        name = _NAME.match(code)
        if name:
            programs[name[1]] = code
        else:
            pieces.append(code)
    return programs, pieces


@dataclass(frozen=True)
class Project:
    """A customer's project with the package in it."""

    folder: Path

    async def start(self, code: str, **environment: str) -> asyncio.subprocess.Process:
        program = self.folder / f"{abs(hash(code))}.mjs"
        program.write_text(code)
        return await asyncio.create_subprocess_exec(
            "node",
            program.name,
            cwd=self.folder,
            env={**os.environ, **environment},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, code: str, given: object = None, **environment: str) -> list[Any]:
        """What a program prints after the prelude, as JSON, a line each. `given` is its `given`."""
        begin = f"{PRELUDE}{PRINTING}const given = {json.dumps(given)};\n"
        process = await self.start(begin + code, **environment)
        try:
            out, err = await asyncio.wait_for(process.communicate(), _PATIENCE)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 0, err.decode()
        # such as the one about listeners that nobody removes
        assert "Warning" not in err.decode(), err.decode()
        return [json.loads(line) for line in out.splitlines()]

    def check(self, *programs: str) -> None:
        """Check the types of programs, as strictly as a customer may."""
        names = [f"checked_{number}.mts" for number in range(len(programs))]
        for name, code in zip(names, programs, strict=True):
            (self.folder / name).write_text(code)
        compile_typescript(*_STRICT, *_TARGET, "--noEmit", *names, folder=self.folder)


def compile_typescript(*arguments: str, folder: Path) -> None:
    compiler = need_packages_of(CLIENT) / "node_modules" / ".bin" / "tsc"
    done = subprocess.run((compiler, *arguments), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def install_client(folder: Path) -> Project:
    """Make a project with the package as `npm install` would leave it, but without a registry."""
    packages = need_packages_of(CLIENT) / "node_modules"
    installed = folder / "node_modules" / "heliograph-client"
    shutil.copytree(_build(packages), installed / "dist")
    shutil.copy(CLIENT / "package.json", installed)
    (installed / "node_modules").symlink_to(packages)
    (folder / "node_modules" / "@types").symlink_to(packages / "@types")
    return Project(folder)


def _build(packages: Path) -> Path:
    """Compile the package, as strictly as there is, once for all that test what it is now."""
    sources = [CLIENT / "tsconfig.json", *sorted((CLIENT / "src").rglob("*.ts"))]
    built = packages / f".built-{sha256(b''.join(map(Path.read_bytes, sources))).hexdigest()}"
    with only_one(packages / ".building"):
        if not built.exists():
            unfinished = built.with_suffix(".unfinished")
            compile_typescript("--strict", "--outDir", str(unfinished), folder=CLIENT)
            unfinished.rename(built)
    return built
