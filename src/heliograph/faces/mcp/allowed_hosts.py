"""The hosts and origins that the tool server accepts, against DNS rebinding.

A page on the internet can point its own name to this machine. Its request then has that name in
`Host` and that page in `Origin`, and is refused for either.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import Scope

from heliograph.errors import HostNotAllowedError, OriginNotAllowedError
from heliograph.settings import Settings

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """Values of `Host` and of `Origin`, in lower case."""

    hosts: frozenset[str]
    origins: frozenset[str]

    def check(self, scope: Scope) -> None:
        """Raise `HostNotAllowedError` or `OriginNotAllowedError`. Only pages send `Origin`."""
        hosts = _values(scope, b"host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            raise HostNotAllowedError(", ".join(hosts))
        for origin in _values(scope, b"origin"):
            if origin not in self.origins:
                raise OriginNotAllowedError(origin)


def allowed_hosts(settings: Settings) -> AllowedHosts:
    """Allow the public URL, this machine's own names with the gateway's port, and what is set."""
    public, port = urlsplit(settings.public_url), settings.server.port
    own = [f"http://{name}:{port}" for name in _LOOPBACK]
    urls = [f"{public.scheme}://{public.netloc}", *own, *settings.mcp.origins]
    hosts = {name for url in urls for name in _host_names(url)}
    return AllowedHosts(frozenset(hosts | set(_lower(settings.mcp.hosts))), frozenset(_lower(urls)))


def _host_names(url: str) -> list[str]:
    """Return `gateway.example` and, for clients that name the default port,
    `gateway.example:443`."""
    parts = urlsplit(url.lower())
    name = parts.netloc.rpartition("@")[2]
    if parts.port is None:
        return [name, f"{name}:{_DEFAULT_PORTS[parts.scheme]}"]
    return [name]


def _lower(values: Iterable[str]) -> list[str]:
    return [value.lower().rstrip("/") for value in values]


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").lower() for key, value in scope["headers"] if key == name]
