"""A name server on loopback that knows what it is told to, and says nothing to what it is not."""

import asyncio
import struct
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import cast

A, AAAA = 1, 28
NAME_ERROR = 3


@dataclass
class NameServer(asyncio.DatagramProtocol):
    """`names` are looked up in lower case; those that end in one of `silent` get no answer."""

    names: Mapping[str, Sequence[str]]
    silent: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name, end = _read_name(data)
        self.asked.append(name)
        if not name.endswith(self.silent or ("\0",)):
            self._transport.sendto(self._answer(data, name, end), addr)

    def _answer(self, query: bytes, name: str, end: int) -> bytes:
        (kind,) = struct.unpack("!H", query[end : end + 2])
        addresses = [ip_address(each) for each in self.names.get(name, ())]
        wanted = {A: 4, AAAA: 6}.get(kind)
        found = [address for address in addresses if address.version == wanted]
        code = 0 if name in self.names else NAME_ERROR
        head = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(found), 0, 0)
        records = b"".join(
            b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(each.packed)) + each.packed
            for each in found
        )
        return head + query[12 : end + 4] + records


def _read_name(query: bytes) -> tuple[str, int]:
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode("latin-1").lower())
        at += 1 + length
    return ".".join(labels), at + 1


@asynccontextmanager
async def serving_names(
    names: Mapping[str, Sequence[str]], *silent: str
) -> AsyncIterator[NameServer]:
    server = NameServer(names, silent)
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: server, local_addr=("127.0.0.1", 0)
    )
    try:
        yield server
    finally:
        transport.close()
