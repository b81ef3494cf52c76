"""The command that adds an extra fits the way in which the program was installed."""

import sys
from pathlib import Path

import pytest

from heliograph import __version__
from heliograph.platform.extras import find_uvx, how_to_install, require


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder that stands for the environment of this process."""
    folder = tmp_path / "environment"
    folder.mkdir()
    monkeypatch.setattr(sys, "prefix", str(folder))
    return folder


def test_pip_is_named_where_nobody_else_has_installed_it(environment: Path) -> None:
    assert how_to_install("redis") == "pip install 'heliograph[redis]'"


def test_pipx_is_named_where_its_file_lies(environment: Path) -> None:
    (environment / "pipx_metadata.json").touch()
    assert how_to_install("redis") == "pipx inject heliograph 'heliograph[redis]'"


def test_uv_is_named_where_its_receipt_lies(environment: Path) -> None:
    (environment / "uv-receipt.toml").touch()
    assert how_to_install("redis").startswith("uv tool install 'heliograph[redis]")


def test_an_environment_for_one_call_is_uvxs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UV", "/usr/bin/uv")
    assert find_uvx() is None
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "archive-v0" / "3fGh"))
    assert find_uvx() == "/usr/bin/uv"
    assert how_to_install("demo").startswith("uvx --from 'heliograph[demo]")


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (None, f"heliograph[demo]=={__version__}"),
        (
            '{"url": "file:///d/heliograph.whl", "archive_info": {}}',
            "heliograph[demo] @ file:///d/heliograph.whl",
        ),
        (
            '{"url": "https://h/r.git", "vcs_info": {"vcs": "git", "commit_id": "1f"}}',
            "heliograph[demo] @ git+https://h/r.git@1f",
        ),
    ],
)
def test_the_same_release_is_required_from_where_it_came(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: str | None, requirement: str
) -> None:
    described = tmp_path / f"heliograph-{__version__}.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(f"Name: heliograph\nVersion: {__version__}\n")
    if origin is not None:
        (described / "direct_url.json").write_text(origin)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert require("demo") == requirement
