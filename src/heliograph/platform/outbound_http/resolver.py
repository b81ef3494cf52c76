"""Host names to addresses, as this machine is set up to find them."""

import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from aiodns import DNSResolver
from aiodns import error as ares
from aiodns.error import DNSError
from cachetools import FIFOCache

from heliograph.platform.aio.cache import SingleFlight
from heliograph.platform.outbound_http.errors import DnsError


class Resolver(Protocol):
    """Takes an ASCII host name, gives its addresses in the order to try. Raises `DnsError`."""

    def find_kept(self, host: str) -> Sequence[str] | None:
        """Return the addresses if they are known and nobody need be asked; else None."""

    async def __call__(self, host: str) -> Sequence[str]: ...


_RESOLV_CONF = Path("/etc/resolv.conf")
_FIRST_TIMEOUT = 2.0
_TRIES = 5
"""Each waits twice as long as the one before, 5 s at most; c-ares begins with less than
`_FIRST_TIMEOUT` where a name server has been quick."""

_DOES_NOT_EXIST = {ares.ARES_ENOTFOUND, ares.ARES_ENODATA}
_Stamp = tuple[int, int, int] | None


class _KeptAnswer(NamedTuple):
    answer: list[str] | DnsError
    until: float


class SystemResolver:
    """Asks c-ares: name servers, search list and options of resolv.conf, /etc/hosts before them.

    There is one look-up for each name at a time, and answers are kept for `ttl` seconds. Any number
    of names may wait without holding up others; `getaddrinfo` would take a thread for each. A look-
    up that nobody waits for any more goes on, and serves whoever asks next.

    resolv.conf is read anew when it has changed in any way. `name_servers`, each as `address:port`,
    are asked instead of those that it names. Serves one event loop.
    """

    def __init__(
        self, *, ttl: float = 5.0, max_names: int = 4096, name_servers: Sequence[str] | None = None
    ) -> None:
        self._name_servers = name_servers
        self._channel: tuple[DNSResolver, _Stamp] | None = None
        self._ttl = ttl
        # cachetools' caches that know times take 5 us a look-up, and each request makes one
        self._answers: FIFOCache[str, _KeptAnswer] = FIFOCache(max_names)
        self._look_ups = SingleFlight(self._look_up)

    def find_kept(self, host: str) -> Sequence[str] | None:
        """Return an answer that is kept; None when there is none, or when it is an error."""
        answer = self._find_answer(host)
        return None if isinstance(answer, DnsError) else answer

    async def __call__(self, host: str) -> Sequence[str]:
        answer = self._find_answer(host)
        if answer is None:
            answer = await self._look_ups.join(host)
        if isinstance(answer, DnsError):
            raise DnsError(str(answer))  # a new error, since each raise adds to its traceback
        return answer

    def _find_answer(self, host: str) -> list[str] | DnsError | None:
        kept = self._answers.get(host)
        return kept.answer if kept is not None and time.monotonic() < kept.until else None

    async def _look_up(self, host: str) -> list[str] | DnsError:
        channel = self._current_channel()  # kept alive to the end of this, should another follow
        answer: list[str] | DnsError
        try:
            found = await channel.getaddrinfo(host, type=socket.SOCK_STREAM)
            answer = list(dict.fromkeys(node.addr[0].decode() for node in found.nodes))
        except DNSError as error:
            answer = _dns_error(host, error)
        except UnicodeError:
            answer = DnsError(f"{host} is not a valid name.")
        self._answers[host] = _KeptAnswer(answer, time.monotonic() + self._ttl)
        return answer

    def _current_channel(self) -> DNSResolver:
        """Return a channel that has read the present resolv.conf."""
        # c-ares watches the file's folder alone, and a link leads elsewhere
        stamp = _stamp(_RESOLV_CONF)
        if self._channel is None or self._channel[1] != stamp:
            made = DNSResolver(self._name_servers, timeout=_FIRST_TIMEOUT, tries=_TRIES)
            self._channel = (made, stamp)
        return self._channel[0]

    async def close(self) -> None:
        """End all look-ups."""
        await self._look_ups.cancel()
        if self._channel is not None:
            await self._channel[0].close()


def _stamp(file: Path) -> _Stamp:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _dns_error(host: str, error: DNSError) -> DnsError:
    number, reason = error.args
    if number in _DOES_NOT_EXIST:
        return DnsError(f"The name {host} does not exist or has no address.")
    if number == ares.ARES_ETIMEOUT:
        return DnsError(f"The name servers did not answer for {host}.")
    return DnsError(f"The address of {host} could not be determined: {reason}.")
