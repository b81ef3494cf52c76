"""The form that connects an account, its values, and the resources that sessions share."""

import asyncio
import base64
import binascii
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import FormField
from heliograph.networks.xmpp.addresses import DEFAULT_TEMPLATE, bare

DIRECT_TLS_PORTS = (443, 5223)
FILES_AT_ONCE = 8
"""Of 16 MiB at most."""

FORM = (
    FormField("jid", "Address (JID)", required=True, help="Such as desk@example.org."),
    FormField("password", "Password", kind="password", required=True, secret=True),
    FormField("host", "Server", help="Found in the DNS by the address's domain when left empty."),
    FormField("port", "Port", kind="number", help="5222, or 5223 for TLS from the first byte on."),
    FormField(
        "phone_numbers",
        "Addresses of phone numbers",
        default=DEFAULT_TEMPLATE,
        help="A domain, or a template with {digits}; {domain} is the account's own.",
    ),
    FormField(
        "group_service",
        "Group service",
        help="Where new groups are made; the server's own when left empty.",
    ),
    FormField(
        "ca",
        "Certificate authority (PEM)",
        help="Trust these certificates instead of the system's authorities: paste them whole.",
    ),
    FormField(
        "plaintext",
        "Allow a connection without TLS",
        kind="boolean",
        default="false",
        help="Everybody on the way can read along. For a server on the same machine only.",
    ),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The form's values. `host` and `port` are both set or both None."""

    jid: str
    password: str
    host: str | None
    port: int | None
    group_service: str | None
    ca: str | None
    plaintext: bool

    @property
    def direct_tls(self) -> bool:
        return self.port in DIRECT_TLS_PORTS


@dataclass(frozen=True, slots=True)
class SessionResources:
    """The resources that the sessions of one process share.

    In seconds: `first_delay` is the first wait before reconnecting, `open_timeout` the time that a
    server may take for a log-in. `why_refused` says why the gateway may not dial an IP address.
    `fetching` limits how many received files are fetched at once.
    """

    tls: Callable[[str | None], ssl.SSLContext]
    first_delay: float
    open_timeout: float
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    why_refused: Callable[[str], str | None] = lambda _: None
    fetching: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(FILES_AT_ONCE))


def read_options(settings: Mapping[str, str], secrets: Mapping[str, str]) -> Options:
    """Read the form's values. Raises `NetworkError` for one that the form does not allow."""
    jid = bare(settings.get("jid", ""))
    host, port = settings.get("host") or None, _port(settings.get("port"))
    if host is None and port is not None:
        host = jid.partition("@")[2]
    return Options(
        jid=jid,
        password=secrets.get("password", ""),
        host=host,
        port=port or 5222 if host else None,
        group_service=(settings.get("group_service") or "").lower() or None,
        ca=settings.get("ca") or None,
        plaintext=settings.get("plaintext", "false").lower() == "true",
    )


def _port(value: str | None) -> int | None:
    if not value:
        return None
    port = float(value)
    if not (port.is_integer() and 1 <= port <= 65535):
        raise NetworkError("The port must be a number from 1 to 65535.", permanent=True)
    return int(port)


_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----")


def trust(certificates: str | None) -> ssl.SSLContext:
    """Return a context for TLS with servers that these authorities (PEM) vouch for; None: the
    system's.

    Raises `NetworkError` for an invalid certificate.
    """
    if certificates is None:
        return ssl.create_default_context()
    try:
        # a single-line form may have turned line ends into blanks
        found = [
            base64.b64decode("".join(body.split()), validate=True)
            for body in _CERTIFICATE.findall(certificates)
        ]
        if found:
            return ssl.create_default_context(cadata=b"".join(found))
    except (ssl.SSLError, binascii.Error):
        pass
    raise NetworkError(
        "The certificate authority is not a certificate in PEM. Give everything from "
        "-----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.",
        permanent=True,
    )
