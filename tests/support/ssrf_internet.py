"""An internet of one's own, in a network namespace where every address leads here.

A name server on 127.0.0.1:53 that knows `hostile_urls.ZONE`, and servers on the usual ports that
answer whoever is asked. Each connection is written to the file named, as the address and port
that were dialled. Round `n` of the names begins when `n` is asked for: GET /round/n on port 9.
"""

import asyncio
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import cast

from hostile_urls import ZONE

PORTS = (22, 80, 443, 5432, 6379, 8080, 8443, 11211)
CONTROL_PORT = 9
RESOLV_CONF = "nameserver 127.0.0.1\noptions timeout:1 attempts:2 ndots:0\n"
_A, _AAAA = 1, 28
_NAME_ERROR = 3


def answer(query: bytes, round_: int) -> bytes:
    """The response to a DNS query for addresses, time to live 0."""
    name, end = _read_name(query)
    (kind,) = struct.unpack("!H", query[end : end + 2])
    rounds = ZONE.get(name.lower())
    code = _NAME_ERROR if rounds is None else 0
    addresses = rounds[min(round_, len(rounds) - 1)] if rounds else []
    wanted = 4 if kind == _A else 6 if kind == _AAAA else 0
    found = [ip for ip in map(ip_address, addresses) if ip.version == wanted]
    records = b"".join(
        b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(ip.packed)) + ip.packed for ip in found
    )
    head = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(found), 0, 0)
    return head + query[12 : end + 4] + records


def _read_name(query: bytes) -> tuple[str, int]:
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode("latin-1"))
        at += 1 + length
    return ".".join(labels), at + 1


class Internet(asyncio.DatagramProtocol):
    def __init__(self, log: Path) -> None:
        self._log = log.open("a", buffering=1)
        self._round = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._transport.sendto(answer(data, self._round), addr)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer 500, or the redirect that the path asks for, or begin another round."""
        dialled, port = writer.get_extra_info("sockname")[:2]
        try:
            if port != CONTROL_PORT:
                self._log.write(f"{dialled} {port}\n")
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            writer.write(self._respond(path, port))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _respond(self, path: str, port: int) -> bytes:
        status, more = "500 No", ""
        if port == CONTROL_PORT:
            self._round = int(path.rpartition("/")[2])
            status = "200 OK"
        elif path.startswith("/redirect/"):
            _, _, code, target = path.split("/", 3)
            status, more = f"{code} Go", f"location: {target}\r\n"
        return f"HTTP/1.1 {status}\r\n{more}connection: close\r\ncontent-length: 0\r\n\r\n".encode()


def make_every_address_local() -> None:
    """In this namespace alone."""
    for command in (
        "ip link set lo up",
        "ip route add local default dev lo",
        "ip -6 route add local default dev lo",
    ):
        subprocess.run(command.split(), check=True)


async def run(log: Path, program: Sequence[str]) -> int:
    """Serve until the program that is to be watched has ended; its exit code."""
    internet = Internet(log)
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: internet, local_addr=("127.0.0.1", 53)
    )
    for host in ("0.0.0.0", "::"):  # noqa: S104 - in a namespace of its own
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        for port in (*PORTS, CONTROL_PORT):
            await asyncio.start_server(internet.serve, host, port, family=family, backlog=1024)
    process = await asyncio.create_subprocess_exec(*program)
    return await process.wait()


if __name__ == "__main__":
    make_every_address_local()
    sys.exit(asyncio.run(run(Path(sys.argv[1]), sys.argv[2:])))
