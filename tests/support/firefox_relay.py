#!/usr/bin/env python3
"""Debian's Firefox as Playwright can drive it by WebDriver BiDi: to be started in Firefox's place.

It hands on whatever the two say, but for one kind of answer: where Firefox does not know a command
that Playwright sends for every page and could do without, the error becomes an empty result.
"""

import asyncio
import json
import re
import signal
import sys

DISPENSABLE = {"emulation.setMediaFeaturesOverride"}
_LISTENS = re.compile(rb"(?<=WebDriver BiDi listening on ws://127\.0\.0\.1:)\d+")
_HOST = re.compile(rb"(?<=\r\nHost: ).*(?=\r\n)", re.IGNORECASE)
_EXTENDED = {126: 2, 127: 8}
"""Bytes in which a frame's length stands that is too large for its second byte."""


async def main() -> int:
    """Return what Firefox ends with."""
    firefox = await asyncio.create_subprocess_exec(
        "firefox-esr", *sys.argv[1:], stderr=asyncio.subprocess.PIPE
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, firefox.terminate)
    assert firefox.stderr is not None
    async for line in firefox.stderr:
        if found := _LISTENS.search(line):
            line = _LISTENS.sub(b"%d" % await _listen(firefox, int(found[0])), line)
        sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()
    return await firefox.wait()


async def _listen(firefox: asyncio.subprocess.Process, its_port: int) -> int:
    """Return the port at which Firefox is to be had. It ends when who drives it has gone."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, commands = await asyncio.open_connection("127.0.0.1", its_port)
        asked = await reader.readuntil(b"\r\n\r\n")
        commands.write(_HOST.sub(b"127.0.0.1:%d" % its_port, asked))  # it refuses any other
        writer.write(await answers.readuntil(b"\r\n\r\n"))
        ways = {
            asyncio.create_task(_hand_on_commands(reader, commands)),
            asyncio.create_task(_hand_on_answers(answers, writer)),
        }
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        writer.close()
        if firefox.returncode is None:
            firefox.terminate()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    return port


async def _hand_on_commands(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65536):
        writer.write(piece)
        await writer.drain()


async def _hand_on_answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Firefox masks and compresses nothing, and sends each message as one frame."""
    while True:
        kind, short = await reader.readexactly(2)
        length = int.from_bytes(await reader.readexactly(_EXTENDED.get(short, 0)), "big") or short
        writer.write(_frame(kind, tolerate(await reader.readexactly(length))))
        await writer.drain()


def _frame(kind: int, message: bytes) -> bytes:
    length = len(message)
    if length < min(_EXTENDED):
        return bytes((kind, length)) + message
    return bytes((kind, 127)) + length.to_bytes(8, "big") + message


def tolerate(message: bytes) -> bytes:
    """Return what is to be said instead of Firefox's message; mostly the same."""
    if not message.startswith(b'{"type":"error"'):
        return message
    said = json.loads(message)
    if said["error"] != "unknown command" or said["message"] not in DISPENSABLE:
        return message
    return json.dumps({"type": "success", "id": said["id"], "result": {}}).encode()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
