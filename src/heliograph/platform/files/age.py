"""Files encrypted with age (https://age-encryption.org/v1), by its library pyrage.

age --decrypt --identity KEY.TXT ARCHIVE.tar.age | tar -x
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from heliograph.errors import ConfigurationError
from heliograph.platform.extras import how_to_install, is_installed
from heliograph.platform.files.room import check_room

SUFFIX = ".age"
_HEAD = b"age-encryption.org/v1"
_PRIVATE = ("AGE-SECRET-KEY-", "AGE-PLUGIN-", "PRIVATE KEY")
"""What private keys contain, in capitals."""


class AgeError(ConfigurationError):
    """A file can't be encrypted or decrypted."""


class AgeRecipients:
    """Those who can decrypt: public keys as age writes them (`age1…`), or of SSH."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Raise `AgeError` for what is not a public key, without repeating it: it may be a private
        one."""
        self._recipients = [
            _read_recipient(text.strip(), number) for number, text in enumerate(texts, start=1)
        ]

    def encrypt(self, source: Path, target: Path) -> None:
        """Write an encrypted copy, brought to disk, that only this user may read."""
        descriptor = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _pyrage().encrypt_file(str(source), str(target), self._recipients)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_encrypted(path: Path) -> bool:
    """Return whether a file begins as age's do."""
    try:
        with path.open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD
    except OSError:
        return False  # reading it later tells why


@contextmanager
def decrypted(path: Path, identity: Path | None) -> Iterator[Path]:
    """Yield a decrypted copy of a file, which is removed after the block, or the file itself if it
    is not encrypted.

    `identity` has the private key, of age or SSH. Raises `AgeError`.
    """
    if not is_encrypted(path):
        yield path
        return
    if identity is None:
        raise AgeError(
            f"{path} is encrypted with age.",
            remedy="Name the file that has the private key: --identity FILE.",
        )
    identities = _read_identities(identity)
    folder = Path(tempfile.mkdtemp(prefix="heliograph-"))
    try:
        check_room(folder, path.stat().st_size, "the decrypted archive")
        copy = folder / path.stem
        try:
            _pyrage().decrypt_file(str(path), str(copy), identities)
        except _pyrage().DecryptError as error:
            raise AgeError(f"{path} can't be decrypted with {identity}: {error}.") from error
        except OSError as error:  # an altered part raises the same
            raise AgeError(
                f"{path} is damaged or cut short, or its copy in {folder} can't be written: "
                f"{error}.",
                remedy="Make room there, or use another backup.",
            ) from error
        yield copy
    finally:
        shutil.rmtree(folder)


def _pyrage() -> Any:
    if not is_installed("pyrage"):
        raise AgeError(
            "The library for age is missing.", remedy=f"Install it: {how_to_install('age')}."
        )
    import pyrage  # an extra: most installations do without it

    return pyrage


def _read_recipient(text: str, number: int) -> Any:
    if any(mark in text.upper() for mark in _PRIVATE):
        raise AgeError(
            f"Key {number} to encrypt to is a private key, which must not be given to commands.",
            remedy="Give its public key: `age-keygen -y FILE` shows it, `ssh-keygen -y -f FILE` "
            "that of SSH.",
        )
    kind = _pyrage().ssh if text.startswith("ssh-") else _pyrage().x25519
    try:
        return kind.Recipient.from_str(text)
    except _pyrage().RecipientError as error:
        raise AgeError(
            f"Key {number} to encrypt to is not a public key of age or SSH.",
            remedy="It begins with age1, ssh-ed25519 or ssh-rsa; `age-keygen` makes one.",
        ) from error


def _read_identities(path: Path) -> list[Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AgeError(f"The private key {path} can't be read: {error}.") from error
    lines = [line.strip() for line in text.splitlines()]
    keys = [line for line in lines if line and not line.startswith("#")]
    try:
        if text.lstrip().startswith("-----BEGIN"):
            return [_pyrage().ssh.Identity.from_buffer(text.encode())]
        found = [_pyrage().x25519.Identity.from_str(key) for key in keys]
    except _pyrage().IdentityError:
        found = []
    if not found:
        raise AgeError(
            f"{path} has no private key of age or SSH.",
            remedy="`age-keygen` writes one; an SSH key must have no passphrase.",
        )
    return found
