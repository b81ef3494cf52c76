"""The packages of the clients, as their registries show them: by themselves."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from repository import ROOT

HERE = "https://code.example/heliograph/heliograph"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("staged") / "clients"
    subprocess.run(
        (
            *(sys.executable, str(ROOT / "clients" / "stage.py")),
            *("--repository", "git@code.example:heliograph/heliograph.git"),
            *("--output", str(folder)),
        ),
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.parametrize("name", ["n8n", "python", "typescript"])
def test_every_link_of_a_readme_leads_from_anywhere(staged: Path, name: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (staged / name / "README.md").read_text())
    assert links
    for link in links:
        assert link.startswith(("https://", "#")), link
        path = link.partition("#")[0].removeprefix(f"{HERE}/blob/main/")
        assert path.startswith("https://") or (ROOT / path).exists(), link


@pytest.mark.parametrize("name", ["n8n", "typescript"])
def test_an_npm_package_names_its_repository_and_its_makers(staged: Path, name: str) -> None:
    described = json.loads((staged / name / "package.json").read_text())
    assert described["repository"]["url"] == f"git+{HERE}.git"
    assert described["repository"]["directory"] == f"clients/{name}"
    assert described["homepage"].startswith(HERE)
    assert described["bugs"]["url"] == f"{HERE}/issues"
    assert described["author"] == {"name": "The Heliograph authors"}
    assert {"heliograph", "messaging"} <= set(described["keywords"])
    assert (staged / name / "LICENSE").exists()


def test_the_python_package_names_its_repository_and_its_makers(staged: Path) -> None:
    project = tomllib.loads((staged / "python" / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Repository"] == HERE
    assert {"Homepage", "Issues", "Changelog"} <= project["urls"].keys()
    assert project["authors"] == [{"name": "The Heliograph authors"}]
    assert {"heliograph", "messaging"} <= set(project["keywords"])
