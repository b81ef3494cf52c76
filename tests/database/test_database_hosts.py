"""A database URL that names several hosts leads to the one that takes writes, whatever has become
of the others."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from database_proxy import proxied
from each_case import for_each
from heliograph.platform.database.failover import Host, list_hosts
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from waiting import until


def two_hosts(database_url: str, other: str, **more: str) -> str:
    """The URL of the same database whose first host is the Unix socket in the folder `other`."""
    parts = urlsplit(database_url)
    named = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
    port = parts.port or 5432
    query = urlencode({"host": f"{other},{named}", "port": f"5432,{port}"} | more)
    credentials = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{credentials}@", query=query).geturl()


@asynccontextmanager
async def refusing(folder: Path) -> AsyncIterator[None]:
    """A server that says, as one in recovery does, that it takes nobody yet."""
    fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        writer.write(b"E" + struct.pack("!i", len(fields) + 4) + fields)
        await writer.drain()
        writer.close()

    async with await asyncio.start_unix_server(refuse, folder / ".s.PGSQL.5432"):
        yield


async def ask(url: str) -> int:
    database = await Database.open(url, pool_size=1, connect_timeout=2)
    try:
        return int(await database.pool.fetchval("SELECT 1"))
    finally:
        await database.close()


async def test_a_host_that_says_nothing_does_not_take_the_others_time(database_url: str) -> None:
    async with proxied(database_url) as proxy:
        proxy.freeze()
        folder = parse_qs(urlsplit(proxy.url).query)["host"][0]
        assert await ask(two_hosts(database_url, folder)) == 1


async def test_a_host_that_is_starting_up_is_passed_over(
    database_url: str, reachable_dir: Path
) -> None:
    folder = reachable_dir / "refusing"
    folder.mkdir()
    async with refusing(folder):
        assert await ask(two_hosts(database_url, str(folder))) == 1


async def test_a_host_that_is_gone_is_passed_over(database_url: str, tmp_path: Path) -> None:
    assert await ask(two_hosts(database_url, str(tmp_path))) == 1


async def test_wake_ups_find_the_host_too(database_url: str) -> None:
    async with proxied(database_url) as proxy:
        proxy.freeze()
        folder = parse_qs(urlsplit(proxy.url).query)["host"][0]
        url = two_hosts(database_url, folder)
        notifications = Notifications(url, connect_timeout=2)
        await notifications.start()
        await until(lambda: notifications.is_connected)
        await notifications.stop()


@for_each(
    ("url", "hosts"),
    [
        ("postgresql://u:p@one:5,two/x", [("one", 5), ("two", None)]),
        ("postgresql://u:p@[::1]:5,127.0.0.1:6/x", [("::1", 5), ("127.0.0.1", 6)]),
        ("postgresql://u:p@/x?host=/run/a,two&port=5,6", [("/run/a", 5), ("two", 6)]),
        ("postgresql://u:p@one,two/x?port=9", [("one", 9), ("two", 9)]),
        ("postgresql:///x", []),
    ],
)
def test_hosts_are_read_as_postgresql_reads_them(url: str, hosts: list[Host]) -> None:
    assert list_hosts(url) == hosts
