"""The system's root certificates, read once for each connection pool instead of twice.

The HTTP library has no trust store that pools could share: each reads the system's bundle, and then
every file of the folder beside it, which says the same again in 290 files on Debian. That is six
times the work, and no other thread gets the interpreter meanwhile.
"""

import os
import sys
from collections.abc import Iterable, MutableMapping, Sequence
from pathlib import Path

BUNDLES = (
    Path("/etc/ssl/certs/ca-certificates.crt"),  # Debian, Arch, Alpine
    Path("/etc/pki/tls/certs/ca-bundle.crt"),  # Fedora, RHEL
    Path("/etc/ssl/ca-bundle.pem"),  # SUSE
)
FOLDER = Path("/etc/ssl/certs")
FILE_VARIABLE, FOLDER_VARIABLE = "SSL_CERT_FILE", "SSL_CERT_DIR"
"""What OpenSSL and those that follow it look at; set by an operator, they stay as they are."""
NO_FOLDER = "/nonexistent"

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"


def prefer_bundle(
    environment: MutableMapping[str, str] = os.environ,
    bundles: Sequence[Path] = BUNDLES,
    folder: Path = FOLDER,
) -> None:
    """Let this process read the bundle alone, where the folder holds nothing besides.

    Call it before there are threads, which could be reading the environment.
    """
    if sys.platform != "linux" or {FILE_VARIABLE, FOLDER_VARIABLE} & environment.keys():
        return
    bundle = next((bundle for bundle in bundles if bundle.is_file()), None)
    if bundle is not None and _certificates([bundle]) >= _certificates(_files_in(folder)):
        environment[FILE_VARIABLE] = str(bundle)
        environment[FOLDER_VARIABLE] = NO_FOLDER


def _files_in(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []


def _certificates(files: Iterable[Path]) -> set[bytes]:
    """Return every certificate in these files, in base64; for an unreadable file, a text that no
    bundle has."""
    found: set[bytes] = set()
    for file in {file.resolve() for file in files}:
        try:
            pieces = file.read_bytes().split(_BEGIN)[1:]
        except OSError:
            pieces = [os.fsencode(file)]
        found |= {b"".join(piece.partition(_END)[0].split()) for piece in pieces}
    return found
