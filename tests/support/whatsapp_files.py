"""Files: as the gateway hands them to a driver, and as phones put them on WhatsApp's servers."""

import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from heliograph.networks.errors import FileUnavailableError

PURPOSES = {
    "image": "Image",
    "sticker": "Image",
    "video": "Video",
    "audio": "Audio",
    "document": "Document",
}
"""WhatsApp's word for what a file is for, by the kind of message."""


@dataclass
class FileToSend:
    data: bytes
    media_type: str = "image/png"
    file_name: str = "square.png"
    size: int = -1
    is_away: bool = False

    def __post_init__(self) -> None:
        self.size = len(self.data) if self.size < 0 else self.size

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self.data

    @asynccontextmanager
    async def on_disk(self) -> AsyncIterator[Path]:
        if self.is_away:
            raise FileUnavailableError("The object storage is away.")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            path.write_bytes(self.data)
            yield path


def sealed_file(data: bytes, key: bytes, purpose: str) -> bytes:
    """What lies on the server, encrypted with what the key makes (whatsmeow's `upload.go`)."""
    expanded = HKDF(hashes.SHA256(), 112, None, f"WhatsApp {purpose} Keys".encode()).derive(key)
    iv, cipher_key, mac_key = expanded[:16], expanded[16:48], expanded[48:80]
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(cipher_key), modes.CBC(iv)).encryptor()
    body = encryptor.update(padder.update(data) + padder.finalize()) + encryptor.finalize()
    return body + hmac.digest(mac_key, iv + body, "sha256")[:10]
