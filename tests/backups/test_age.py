"""Encrypted files that can't be read, and keys that are not for encrypting."""

import tempfile
from pathlib import Path

import pyrage
import pytest

from heliograph.platform.files.age import AgeError, AgeRecipients, decrypted


@pytest.fixture
def identity(tmp_path: Path) -> Path:
    file = tmp_path / "key.txt"
    file.write_text(f"{pyrage.x25519.Identity.generate()}\n")
    return file


@pytest.fixture
def archive(tmp_path: Path, identity: Path) -> Path:
    """An encrypted file of several parts, of 64 KiB each."""
    plain, encrypted = tmp_path / "plain", tmp_path / "backup.tar.age"
    plain.write_bytes(bytes(300_000))
    key = pyrage.x25519.Identity.from_str(identity.read_text().strip())
    AgeRecipients([str(key.to_public())]).encrypt(plain, encrypted)
    return encrypted


@pytest.mark.parametrize("length", [25, 100, 220, 70_000, 200_000, 299_999])
def test_a_file_that_is_cut_short_is_a_sentence(
    archive: Path, identity: Path, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    archive.write_bytes(archive.read_bytes()[:length])

    with pytest.raises(AgeError, match=r"backup\.tar\.age"), decrypted(archive, identity):
        pass

    assert not list(tmp_path.glob("heliograph-*"))


@pytest.mark.parametrize("at", [30, 100, 190, 400, 150_000, -1])
def test_a_changed_byte_is_a_sentence(archive: Path, identity: Path, at: int) -> None:
    data = bytearray(archive.read_bytes())
    data[at] ^= 1
    archive.write_bytes(data)

    with pytest.raises(AgeError, match=r"backup\.tar\.age"), decrypted(archive, identity):
        pass


def test_a_private_key_is_not_repeated(identity: Path) -> None:
    key = identity.read_text()
    mixed_up = [key, key.lower(), f"# created: 2026\n{key}", f"age1{key}", key.strip()[:-1]]
    mixed_up.append("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n")
    for text in mixed_up:
        with pytest.raises(AgeError, match="is a private key") as refused:
            AgeRecipients([text])
        assert text.strip()[-20:].lower() not in str(refused.value).lower()


def test_what_is_no_key_is_not_repeated_either() -> None:
    with pytest.raises(AgeError, match="Key 1 to encrypt to is not a public key") as refused:
        AgeRecipients(["half-a-secret"])
    assert "half-a-secret" not in str(refused.value)
