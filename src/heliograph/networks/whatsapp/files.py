"""Files and pictures: fetched from WhatsApp's servers by links that the network gives.

Files that people send are checked and decrypted.

The library could do it, too, but it reads everything into memory, and the size in a message is only
its sender's claim. Here no more is read than is allowed. The derivation and use of the keys follows
whatsmeow's `download.go`.
"""

import hashlib
import hmac
import http.client
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from heliograph.networks.errors import NetworkError
from heliograph.networks.whatsapp.options import MAX_FILE_BYTES

SERVER = "https://mmg.whatsapp.net"
_MAC = 10
_BLOCK = 16

Fetch = Callable[[str, int], bytes]
"""Fetches a link, up to a number of bytes. Raises `NetworkError`; blocks."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """The address and the key of a file. `purpose` is WhatsApp's word for its kind: `Image`, …"""

    path: str
    key: bytes
    purpose: str
    sha256: bytes
    size: int


def fetch_file(file: RemoteFile, fetch: Fetch) -> bytes:
    """Fetch and decrypt a file; blocks. Raises `NetworkError`."""
    if file.size > MAX_FILE_BYTES:
        raise NetworkError(f"The file is larger than {MAX_FILE_BYTES} bytes.", permanent=True)
    if not file.path.startswith("/") or len(file.key) != 32:
        raise NetworkError("The message does not say where its file is.", permanent=True)
    data = opened(file, fetch(SERVER + file.path, MAX_FILE_BYTES + _BLOCK + _MAC))
    if hashlib.sha256(data).digest() != file.sha256:
        raise NetworkError("The file is not the one that was sent.", permanent=True)
    return data


def opened(file: RemoteFile, sealed: bytes) -> bytes:
    """Decrypt a file. Raises `NetworkError` if it was not encrypted with its key."""
    iv, cipher_key, mac_key = _keys(file)
    body, mac = sealed[:-_MAC], sealed[-_MAC:]
    made = hmac.digest(mac_key, iv + body, "sha256")[:_MAC]
    if not body or len(body) % _BLOCK or not hmac.compare_digest(made, mac):
        raise NetworkError("The file was changed on its way.", permanent=True)
    decryptor = Cipher(algorithms.AES(cipher_key), modes.CBC(iv)).decryptor()
    padded = decryptor.update(body) + decryptor.finalize()
    unpadder = padding.PKCS7(_BLOCK * 8).unpadder()
    try:
        return unpadder.update(padded) + unpadder.finalize()
    except ValueError as error:
        raise NetworkError("The file can't be decrypted.", permanent=True) from error


def _keys(file: RemoteFile) -> tuple[bytes, bytes, bytes]:
    info = f"WhatsApp {file.purpose} Keys".encode()
    expanded = HKDF(hashes.SHA256(), 112, None, info).derive(file.key)
    return expanded[:16], expanded[16:48], expanded[48:80]


HOSTS = (".whatsapp.net",)
MAX_PICTURE_BYTES = 5_000_000
STALL_TIMEOUT = 15.0


def fetch(url: str, most: int = MAX_PICTURE_BYTES, *, hosts: Sequence[str] = HOSTS) -> bytes:
    """Fetch a link; blocks. No other hosts are contacted, and redirects are not followed.

    Raises `NetworkError`.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" or not any(f".{host}".endswith(suffix) for suffix in hosts):
        raise NetworkError("WhatsApp gave a link that is not to its own servers.")
    connection = http.client.HTTPSConnection(host, parts.port, timeout=STALL_TIMEOUT)
    try:
        return _get(connection, parts._replace(scheme="", netloc="").geturl(), most)
    except (OSError, http.client.HTTPException) as error:
        raise NetworkError(f"It could not be fetched: {error}") from error
    finally:
        connection.close()


def _get(connection: http.client.HTTPConnection, path: str, most: int) -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    if answer.status != http.client.OK:
        raise NetworkError(f"It could not be fetched: WhatsApp answers {answer.status}.")
    data = answer.read(most + 1)
    if len(data) > most:
        raise NetworkError(f"It is larger than {most} bytes.", permanent=True)
    return data
