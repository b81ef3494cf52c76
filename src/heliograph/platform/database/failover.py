"""The servers in a database URL: the gateway connects to the first one that accepts writes.

asyncpg has a single time-out for all hosts, and gives up at the first server that answers with an
error ("is starting up"). So after a failover, a host that is down or restarting would hide the one
that has taken over. Here each host has its own time-out, and the last good one is tried first.

Nothing is read from a standby. A demoted primary restarts as one, still with transactions that no
other server has and that the failover undoes, and a load balancer may send us there for another
second or two.
"""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import asyncpg

PLAIN_TIMEOUT = 10.0
"""Seconds for each host, and for each statement, when no request is waiting."""

Host = tuple[str, int | None]
DATABASE_FAILURES = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
CONNECT_FAILURES = (OSError, *DATABASE_FAILURES)  # TimeoutError is an OSError


class Hosts:
    """Connects to the database at `url`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._hosts = list_hosts(url)
        self._names_role = "target_session_attrs" in parse_qs(urlsplit(url).query)

    async def connect(
        self, _url: str | None = None, *, timeout: float, **options: Any
    ) -> "asyncpg.Connection[Any]":
        """Return a connection, as `asyncpg.connect` makes it; `timeout` is in seconds for each
        host.

        The first argument is the pool's, and ignored. Raises what asyncpg raises for the last host,
        and `TimeoutError`.
        """
        if not self._names_role:
            options["target_session_attrs"] = "primary" if len(self._hosts) < 2 else "read-write"
        if len(self._hosts) < 2:
            return await _connect(self._url, timeout=timeout, **options)
        for host in self._hosts:
            try:
                connection = await _connect(
                    self._url, host=host[0], port=host[1], timeout=timeout, **options
                )
            except CONNECT_FAILURES as error:
                last = error
            else:
                self._hosts = [host, *(other for other in self._hosts if other != host)]
                return connection
        raise last

    async def connect_plainly(self) -> "asyncpg.Connection[Any]":
        """Return a connection that also works through any kind of pooler. Raises what `connect`
        raises."""
        return await self.connect(
            timeout=PLAIN_TIMEOUT, command_timeout=PLAIN_TIMEOUT, statement_cache_size=0
        )


async def _connect(url: str, **options: Any) -> "asyncpg.Connection[Any]":
    try:
        connection: asyncpg.Connection[Any] = await asyncpg.connect(url, **options)
    except asyncpg.TargetServerAttributeNotMatched as error:
        raise asyncpg.TargetServerAttributeNotMatched(
            "it is a standby or set to be read-only, and takes no writes"
        ) from error
    return connection


def list_hosts(url: str) -> list[Host]:
    """Return the hosts and ports of a database URL, in its order; None is the default port.

    They are before the path or, as parameters `host` and `port`, after it (PostgreSQL's
    documentation, 34.1.1.2); a host that is a folder contains a Unix socket.
    """
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    named = [_split(host) for host in parts.netloc.rpartition("@")[2].split(",") if host]
    if not named:
        named = [_split(host) for host in query.get("host", [""])[0].split(",") if host]
    ports = [int(port) for port in query.get("port", [""])[0].split(",") if port]
    if len(ports) == 1:
        ports *= len(named)
    return [
        (host, port or (ports[number] if number < len(ports) else None))
        for number, (host, port) in enumerate(named)
    ]


def without_password(url: str) -> str:
    """Return a database URL without its password, safe to show to anybody."""
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    query = parse_qs(parts.query)
    query.pop("password", None)
    netloc = login.partition(":")[0] + at + hosts
    # libpq does not read `+` as a space
    encoded = urlencode(query, doseq=True).replace("+", "%20")
    address = parts._replace(netloc=netloc, query=encoded).geturl()
    if not netloc and "://" not in address:  # `geturl` drops the slashes of an empty host
        address = address.replace(":/", ":///", 1)
    return address


def _split(host: str) -> Host:
    if host.startswith("/"):
        return host, None
    parts = urlsplit(f"//{host}")
    return parts.hostname or host, parts.port
