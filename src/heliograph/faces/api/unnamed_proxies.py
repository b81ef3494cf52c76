"""Proxies that the operator has not named: behind one, all people have one address."""

import time
from collections.abc import Callable

import structlog

from heliograph.core.rates.client_addresses import ClientAddresses, parse_client_address

FORWARDED = frozenset({b"x-forwarded-for", b"forwarded", b"x-real-ip"})
"""Headers in which proxies say who the client is."""
_PAUSE = 3600.0  # seconds between two lines

log = structlog.get_logger()


class UnnamedProxies:
    """Say once an hour in the log that requests come through a proxy that is not trusted.

    Only for addresses that are not public: anybody can write such headers. `now` is monotonic, in
    seconds.
    """

    def __init__(
        self, addresses: ClientAddresses, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._addresses = addresses
        self._now = now
        self._silent_until = float("-inf")

    def notice(self, host: str | None) -> None:
        """Take note of a request from this address that says who the client is; `host` None is a
        Unix socket."""
        if self._now() < self._silent_until or not self._is_unnamed(host):
            return
        self._silent_until = self._now() + _PAUSE
        log.warning(
            "requests come through a proxy that is not named: everybody behind it counts as one "
            "address and shares its limits",
            address=host,
            remedy="name the proxy in HELIOGRAPH_TRUSTED_PROXIES if it writes X-Forwarded-For",
        )

    def _is_unnamed(self, host: str | None) -> bool:
        if host is None:
            return True
        address = parse_client_address(host)
        is_near = address is not None and not address.is_global
        return is_near and not self._addresses.is_named(host)
