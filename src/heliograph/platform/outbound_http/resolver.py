"""Names to addresses, as this machine is set up to find them."""

import asyncio
import os
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from aiodns import DNSResolver
from aiodns import error as ares
from aiodns.error import DNSError

from heliograph.platform.outbound_http.errors import DnsError

Resolver = Callable[[str], Awaitable[Sequence[str]]]
"""Takes an ASCII host name, gives its addresses in the order to try. Raises `DnsError`."""

_RESOLV_CONF = Path("/etc/resolv.conf")
_FIRST_TIMEOUT = 2.0
_TRIES = 5
"""Each waits twice as long as the one before, 5 s at most; c-ares begins with less than
`_FIRST_TIMEOUT` where a name server has been quick."""

_DOES_NOT_EXIST = {ares.ARES_ENOTFOUND, ares.ARES_ENODATA}
_Stamp = tuple[int, int, int] | None


class SystemResolver:
    """c-ares: name servers, search list and options of resolv.conf, and /etc/hosts before them.

    One look-up a name at a time, answers kept for `ttl` seconds. Any number of names may wait and
    cost the others nothing; `getaddrinfo` would take a thread for each. A look-up that nobody waits
    for any more goes on, and serves whoever asks next.

    resolv.conf is read anew when it has changed, in whatever way it was. `name_servers`, each as
    `address:port`, are asked instead of those it names. Serves one event loop.
    """

    def __init__(
        self,
        *,
        ttl: float = 5.0,
        max_names: int = 4096,
        name_servers: Sequence[str] | None = None,
    ) -> None:
        self._ttl = ttl
        self._max_names = max_names
        self._name_servers = name_servers
        self._channel: tuple[DNSResolver, _Stamp] | None = None
        self._answers: OrderedDict[str, asyncio.Task[list[str]]] = OrderedDict()

    async def __call__(self, host: str) -> Sequence[str]:
        answer = self._answers.get(host)
        if answer is None:
            answer = self._ask(host)
        try:
            return await asyncio.shield(answer)
        except DNSError as error:
            raise _dns_error(host, error) from None
        except UnicodeError:
            raise DnsError(f"{host} is not a valid name.") from None

    def _ask(self, host: str) -> asyncio.Task[list[str]]:
        answer = self._answers[host] = asyncio.create_task(self._look_up(host))
        answer.add_done_callback(lambda _: self._expire(host, answer))
        if len(self._answers) > self._max_names:
            self._answers.popitem(last=False)
        return answer

    async def _look_up(self, host: str) -> list[str]:
        channel = self._current_channel()  # kept alive to the end of this, should another follow
        found = await channel.getaddrinfo(host, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(node.addr[0].decode() for node in found.nodes))

    def _current_channel(self) -> DNSResolver:
        """c-ares watches the folder of resolv.conf alone, and a link leads elsewhere."""
        stamp = _stamp(_RESOLV_CONF)
        if self._channel is None or self._channel[1] != stamp:
            made = DNSResolver(self._name_servers, timeout=_FIRST_TIMEOUT, tries=_TRIES)
            self._channel = (made, stamp)
        return self._channel[0]

    def _expire(self, host: str, answer: asyncio.Task[list[str]]) -> None:
        if not answer.cancelled():
            answer.exception()  # else asyncio complains of a failure that nobody waited for
        answer.get_loop().call_later(self._ttl, self._forget, host, answer)

    def _forget(self, host: str, answer: asyncio.Task[list[str]]) -> None:
        if self._answers.get(host) is answer:
            del self._answers[host]

    async def close(self) -> None:
        """End all look-ups."""
        under_way = list(self._answers.values())
        self._answers.clear()
        for answer in under_way:
            answer.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
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
    return DnsError(f"The address of {host} could not be found out: {reason}.")
