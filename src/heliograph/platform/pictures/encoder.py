"""`PictureEncoder`: pictures go to a process of their own, one at a time, organizations in turn."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from uuid import UUID

from heliograph.platform.aio.limits import FairSemaphore
from heliograph.platform.extras import how_to_install, is_installed
from heliograph.platform.pictures.protocol import ANSWER, READY, REQUEST

MAX_BYTES = 8 << 20
PICTURE_TIMEOUT = 10.0
"""Seconds for one picture, on a machine that is busy with other things; the worker's own limit is
of processor time."""
START_TIMEOUT = 30.0
IDLE = 30.0
"""Seconds without a picture after which the process ends."""

_WORKER = ("-P", "-m", "heliograph.platform.pictures.worker")
_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH")
"""What Python needs to start; nothing else of ours is handed on, for it holds secrets."""


class UnusablePictureError(ValueError):
    """The bytes are no picture, or one that takes too much to decode; `str(error)` says which."""


class PictureEncoder:
    """One process at most, started with the first picture and ended when idle or at fault.

    Requests are served in the order in which they come, but each organization has one picture in
    the queue at a time: one that sends the worst there is costs another the time of one picture.
    Serves one event loop.
    """

    def __init__(self, *, timeout: float = PICTURE_TIMEOUT, idle: float = IDLE) -> None:
        self._timeout = timeout
        self._idle = idle
        self._turns = FairSemaphore(1, 1)
        self._process: Process | None = None
        self._end: asyncio.TimerHandle | None = None

    @property
    def process_id(self) -> int | None:
        """The id of the process that waits for pictures, None while there is none."""
        return None if self._process is None else self._process.pid

    async def encode(self, owner: UUID, data: bytes, side: int) -> bytes:
        """Return a JPEG of at most `side` pixels a side, of a picture that the organization `owner`
        got.

        Raises `UnusablePictureError`, and `OSError` when no process can be started.
        """
        if len(data) > MAX_BYTES:
            raise UnusablePictureError(f"it has more than {MAX_BYTES} bytes")
        async with self._turns.hold(owner):
            self._cancel_idle_timer()
            try:
                return await self._ask(data, side)
            finally:
                if self._process is not None:
                    self._end = asyncio.get_running_loop().call_later(self._idle, self._kill)

    async def _ask(self, data: bytes, side: int) -> bytes:
        process = await self._started()
        try:
            async with asyncio.timeout(self._timeout):
                is_picture, answer = await _exchange(process, data, side)
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            self._kill()
            raise UnusablePictureError("it takes too much time or memory to decode") from None
        except BaseException:  # canceled: its answer would be taken for the next one's
            self._kill()
            raise
        if not is_picture:
            raise UnusablePictureError(answer.decode())
        return answer

    async def _started(self) -> Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        if not is_installed("PIL"):
            raise UnusablePictureError(f"its decoder is missing: {how_to_install('pictures')}")
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *_WORKER,
            str(os.getpid()),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        )
        try:
            async with asyncio.timeout(START_TIMEOUT):
                await _reader(self._process).readexactly(len(READY))
        except BaseException as error:
            self._kill()
            if isinstance(error, (TimeoutError, asyncio.IncompleteReadError)):
                raise OSError("The process that decodes pictures does not start.") from error
            raise
        return self._process

    def _cancel_idle_timer(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()

    async def close(self) -> None:
        """End the process, whatever it is doing."""
        self._cancel_idle_timer()
        process = self._process
        self._kill()
        if process is not None:
            await process.wait()


async def _exchange(process: Process, data: bytes, side: int) -> tuple[bool, bytes]:
    writer = process.stdin
    assert writer is not None  # noqa: S101 - asked for as a pipe
    writer.write(REQUEST.pack(side, len(data)))
    writer.write(data)
    await writer.drain()
    reader = _reader(process)
    is_picture, length = ANSWER.unpack(await reader.readexactly(ANSWER.size))
    return is_picture, await reader.readexactly(length)


def _reader(process: Process) -> asyncio.StreamReader:
    assert process.stdout is not None  # noqa: S101 - asked for as a pipe
    return process.stdout
