"""Files to send: what the gateway would hand over, in memory."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from heliograph.networks.errors import FileUnavailableError

PIECE = 256 * 1024


@dataclass(frozen=True)
class MemoryFile:
    """An `OutgoingFile`. Of one that breaks off, no more than `readable` bytes can be read."""

    data: bytes
    media_type: str = "application/octet-stream"
    file_name: str = "file.bin"
    readable: int | None = None

    @property
    def size(self) -> int:
        return len(self.data)

    async def chunks(self) -> AsyncIterator[bytes]:
        end = len(self.data) if self.readable is None else self.readable
        for first in range(0, end, PIECE):
            await asyncio.sleep(0)
            yield self.data[first : min(first + PIECE, end)]
        self._require_whole()

    @asynccontextmanager
    async def on_disk(self) -> AsyncIterator[Path]:
        self._require_whole()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.file_name
            path.write_bytes(self.data)
            yield path

    def _require_whole(self) -> None:
        if self.readable is not None:
            raise FileUnavailableError("The storage does not answer.")
