"""An archive of the release before is restored by the next one, and not the other way round."""

import json
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest

from chaos.releases import last_revision, make_release
from heliograph.core.backups.model import FORMAT, MANIFEST
from heliograph.platform.files.archive import SIGNATURES, SUMS, ArchiveWriter, read_members
from installation import Accepted, Installation, send

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(600),  # several gateways start
]


def installation_of(folder: Path, release: Path | None) -> Installation:
    """One that runs a release to come, or this one."""
    installation = Installation(folder)
    if release is not None:
        installation.environment["PYTHONPATH"] = str(release)
    return installation


def manifest_of(archive: Path) -> dict[str, object]:
    with tarfile.open(archive) as tar:
        member = tar.extractfile(MANIFEST)
        assert member is not None
        return dict(json.load(member))


class Made(NamedTuple):
    """Archives of this release and of the next, which has restored the first; what was accepted
    before both."""

    release: Path
    former: Path
    later: Path
    demo: Path
    messages: list[str]


@pytest.fixture(scope="module")
def made(reachable_dir: Path) -> Made:
    release = make_release(reachable_dir, 1)
    before = Installation(reachable_dir / "before")
    demo, former = before.data_dir / "demo.json", reachable_dir / "former.tar"
    with before.serving(demo) as client, Accepted(client, demo) as accepted:
        messages = list(accepted.ids)
        before.must("backup", former)
    after = installation_of(reachable_dir / "after", release)
    after.must("restore", "--from-elsewhere", former)
    later = reachable_dir / "later.tar"
    after.must("backup", later)
    return Made(release, former, later, demo, messages)


def test_a_release_restores_an_archive_of_the_one_before(made: Made, reachable_dir: Path) -> None:
    after = installation_of(reachable_dir / "after", made.release)

    with after.serving(made.demo) as client:
        for message in made.messages:
            assert client.get(f"/api/v1/messages/{message}").is_success
        assert send(client, json.loads(made.demo.read_text()))


def test_what_was_restored_has_the_later_ones_schema(made: Made) -> None:
    former, later = manifest_of(made.former), manifest_of(made.later)
    assert last_revision(0) in str(former["revisions"])
    assert last_revision(1) in str(later["revisions"])
    assert later["gateway"] == "1"


def test_an_archive_of_a_later_release_is_refused_and_nothing_is_made(
    made: Made, tmp_path: Path
) -> None:
    target = Installation(tmp_path / "target")

    printed = target.refuse("restore", "--from-elsewhere", made.later)
    assert "The archive is from a later release (1, schema" in printed
    assert "Restore it with that release." in printed
    assert not target.data_dir.exists()


def with_manifest(archive: Path, manifest: object, target: Path, **more: bytes) -> Path:
    """The archive with another manifest, and more members."""
    with ArchiveWriter(target) as written:
        for name, _, content in read_members(archive):
            if name not in (SUMS, SIGNATURES, MANIFEST):
                written.add(name, content.read())
        for name, data in more.items():
            written.add(name, data)
        written.add(MANIFEST, json.dumps(manifest).encode())
        written.finish(lambda _: b"", lambda _: None)
    return target


def test_an_archive_of_before_the_first_release_is_refused_and_nothing_is_made(
    made: Made, tmp_path: Path
) -> None:
    manifest = manifest_of(made.former) | {"revisions": ["0034", "sandbox_0009", "whatsapp_0004"]}
    archive = with_manifest(made.former, manifest, tmp_path / "former.tar")
    target = Installation(tmp_path / "target")

    printed = target.refuse("restore", "--from-elsewhere", archive)
    assert (
        "This archive was made by a version before the first release, 0.1.0, and can't be "
        "upgraded: start with an empty database." in printed
    )
    assert not target.data_dir.exists()


def test_an_archive_in_a_later_form_is_refused_and_nothing_is_made(
    made: Made, tmp_path: Path
) -> None:
    """Whatever else has changed in it, or has been added."""
    form = {"format": FORMAT + 1, "parts": ["what nobody knows yet"]}
    archive = with_manifest(made.former, form, tmp_path / "later.tar", unknown=b"")
    target = Installation(tmp_path / "target")

    printed = target.refuse("restore", "--from-elsewhere", archive)
    assert "The archive was written by a later release." in printed
    assert "Restore it with that release." in printed
    assert not target.data_dir.exists()
