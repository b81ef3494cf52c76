"""A file as the gateway hands it to a driver."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from heliograph.networks.errors import FileUnavailableError


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
