"""Copy the clients as their registries should get them: `python clients/stage.py --repository URL`.

A registry shows a package's README and metadata away from the repository: links have to be whole
addresses there, and the page names the repository. Its address is `origin`'s unless it is given.
Publish from the folders that this writes, with `npm publish`, and `python -m build` and `twine`.
"""

import argparse
import json
import re
import shutil
import subprocess
from pathlib import Path
from posixpath import normpath

CLIENTS = Path(__file__).resolve().parent
_GIT = shutil.which("git") or "git"
PACKAGES = ("n8n", "python", "typescript")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s]+)\)")
_SSH = re.compile(r"^(?:ssh://)?git@([^:/]+)[:/]")


def web_address(remote: str) -> str:
    """Return the page of a repository, from whatever Git calls it."""
    return _SSH.sub(r"https://\1/", remote.strip()).removesuffix(".git").rstrip("/")


def with_whole_links(text: str, repository: str, folder: str) -> str:
    """Return a README whose links lead from anywhere to where they lead from its folder."""

    def whole(link: re.Match[str]) -> str:
        path, _, fragment = link[1].partition("#")
        place = f"{repository}/blob/main/{normpath(f'{folder}/{path}')}"
        return f"]({place}#{fragment})" if fragment else f"]({place})"

    return _LINK.sub(whole, text)


def complete_npm(file: Path, repository: str, folder: str) -> None:
    described = json.loads(file.read_text("utf-8"))
    described["homepage"] = f"{repository}/tree/main/{folder}#readme"
    described["bugs"] = {"url": f"{repository}/issues"}
    described["repository"] = {
        "type": "git",
        "url": f"git+{repository}.git",
        "directory": folder,
    }
    file.write_text(json.dumps(described, indent=2, ensure_ascii=False) + "\n", "utf-8")


def complete_python(file: Path, repository: str, folder: str) -> None:
    urls = {
        "Homepage": f"{repository}/tree/main/{folder}#readme",
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }
    lines = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    listed = re.compile(r"(?<=^\[project\.urls\]\n)(?:\w+ = .*\n)+", re.MULTILINE)
    text = listed.sub(lines, file.read_text("utf-8"))
    file.write_text(text, "utf-8")


def stage(name: str, repository: str, into: Path) -> None:
    """Copy one package, with what Git knows of it, and complete it."""
    folder, target = f"clients/{name}", into / name
    listed = subprocess.run(
        (_GIT, "ls-files", "-z"), cwd=CLIENTS / name, check=True, capture_output=True, text=True
    )
    for path in filter(None, listed.stdout.split("\0")):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CLIENTS / name / path, target / path)
    if not (target / "LICENSE").exists():
        shutil.copy(CLIENTS.parent / "LICENSE", target)
    readme = target / "README.md"
    readme.write_text(with_whole_links(readme.read_text("utf-8"), repository, folder), "utf-8")
    if (target / "package.json").exists():
        complete_npm(target / "package.json", repository, folder)
    else:
        complete_python(target / "pyproject.toml", repository, folder)


def find_origin() -> str:
    """Return the address of the repository that this is a clone of; "" if it is of none."""
    done = subprocess.run(
        (_GIT, "remote", "get-url", "origin"),
        cwd=CLIENTS,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", default=find_origin(), help="where the repository is")
    parser.add_argument("--output", type=Path, default=CLIENTS.parent / "dist" / "clients")
    given = parser.parse_args()
    if not given.repository:
        parser.error("this is a clone of no repository: name one with --repository URL")
    shutil.rmtree(given.output, ignore_errors=True)
    for name in PACKAGES:
        stage(name, web_address(given.repository), given.output)
    print(f"in {given.output}: {', '.join(PACKAGES)}")  # noqa: T201


if __name__ == "__main__":
    main()
