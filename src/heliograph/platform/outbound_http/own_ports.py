"""`OwnPorts`: the ports of the gateway itself, to which no webhook is posted."""

import socket
import time
from collections.abc import Awaitable, Callable, Collection
from functools import lru_cache

from heliograph.platform.aio.cache import TtlCache
from heliograph.platform.outbound_http.addresses import Address, embedded_addresses
from heliograph.platform.outbound_http.errors import RefusedAddressError
from heliograph.platform.outbound_http.targets import Target

_KNOWN_FOR = 1.0
"""Seconds for which the ports that were asked for are believed."""
_ANY_PORT = 9
_KIND = "a port of the gateway itself"

AskPorts = Callable[[], Awaitable[Collection[int]]]


class OwnPorts:
    """Refuses the ports `fixed`, and those that `ask` returns, at every address of this machine.

    `open_url` is the one URL of the gateway's own that takes webhooks, None where there is none.
    Serves one event loop.
    """

    def __init__(
        self,
        fixed: Collection[int] = (),
        ask: AskPorts | None = None,
        *,
        open_url: str | None = None,
    ) -> None:
        self._fixed = frozenset(fixed)
        self._open_url = open_url
        self._asked: TtlCache[None, Collection[int]] | None = None
        if ask is not None:
            self._asked = TtlCache(lambda _: ask(), ttl=_KNOWN_FOR)

    def judge_fixed(self, target: Target) -> None:
        """Raise `RefusedAddressError` when a target that is an address is one of `fixed`."""
        if target.address is not None and target.url != self._open_url:
            self._refuse(target, target.address, self._fixed)

    async def judge(self, target: Target, address: Address) -> None:
        """Raise `RefusedAddressError` when `address`, which `target` leads to, and its port are
        the gateway's own."""
        if target.url == self._open_url or not _is_own_within(int(time.monotonic()), address):
            return
        self._refuse(target, address, self._fixed)
        if self._asked is not None:
            self._refuse(target, address, await self._asked.find(None))

    def _refuse(self, target: Target, address: Address, ports: Collection[int]) -> None:
        if target.port in ports and is_own_address(address):
            raise RefusedAddressError(target.host, _KIND, str(address))


@lru_cache(maxsize=4096)
def _is_own_within(second: int, address: Address) -> bool:
    """Ask the system once for all requests of a second; each question is four system calls."""
    return is_own_address(address)


def is_own_address(address: Address) -> bool:
    """Return whether `address`, in whatever form it is written, reaches this machine."""
    return any(_is_own(face) for face in (address, *embedded_addresses(address)))


def _is_own(address: Address) -> bool:
    return address.is_loopback or address.is_unspecified or _is_sent_to_itself(address)


def _is_sent_to_itself(address: Address) -> bool:
    """Return whether the system would reach it from the same address or over loopback.

    Sends nothing.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), _ANY_PORT))
            source = str(probe.getsockname()[0])
    except OSError:  # no way there, or not with this family
        return False
    return source in (str(address), "127.0.0.1", "::1")
