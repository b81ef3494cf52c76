"""The form that connects an account, its values, and the resources that sessions share."""

import asyncio
import base64
import binascii
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from heliograph.networks.connection import LAST_PORT
from heliograph.networks.errors import NetworkError
from heliograph.networks.form import FormField, read_values
from heliograph.networks.xmpp import addresses
from heliograph.networks.xmpp.preparation import MAX_PART_LENGTH, prepare_password

DIRECT_TLS_PORTS = (443, 5223)
FILES_AT_ONCE = 8
"""Of 16 MiB at most."""

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
        if found and all(found):  # with nothing in it, the system's would be trusted
            return ssl.create_default_context(cadata=b"".join(found))
    except (ssl.SSLError, binascii.Error):
        pass
    raise NetworkError(
        "The certificate authority is not a certificate in PEM. Give everything from "
        "-----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.",
        permanent=True,
    )


def check_authority(certificates: str) -> str:
    """Return the certificates as they were given. Raises `NetworkError` for what is none."""
    trust(certificates)
    return certificates


def check_password(password: str) -> str:
    """Return the password as it was given. Raises `NetworkError` for one that can't be sent."""
    if prepare_password(password) is None:
        raise NetworkError(
            "The password can't be used on XMPP: it has control characters, mixes letters from "
            f"the right with others, or has more than {MAX_PART_LENGTH:,} bytes.",
            permanent=True,
        )
    return password


FORM = (
    FormField(
        "jid",
        "Address (JID)",
        required=True,
        help="Such as desk@example.org.",
        check=addresses.account_jid,
    ),
    FormField(
        "password",
        "Password",
        kind="password",
        required=True,
        secret=True,
        check=check_password,
    ),
    FormField(
        "host",
        "Server",
        help="Found in the DNS by the address's domain when left empty.",
        check=addresses.host,
    ),
    FormField(
        "port",
        "Port",
        kind="integer",
        help="5222, or 5223 for TLS from the first byte on.",
        minimum=1,
        maximum=LAST_PORT,
    ),
    FormField(
        "phone_numbers",
        "Addresses of phone numbers",
        default=addresses.DEFAULT_TEMPLATE,
        help="A domain, or a template with {digits}; {domain} is the account's own.",
        check=addresses.checked_template,
    ),
    FormField(
        "group_service",
        "Group service",
        help="Where new groups are made; the server's own when left empty.",
        check=addresses.domain_name,
    ),
    FormField(
        "ca",
        "Certificate authority (PEM)",
        help="Trust these certificates instead of the system's authorities: paste them whole.",
        check=check_authority,
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
    values = read_values(FORM, {**secrets, **settings})
    jid, host = addresses.account_jid(values.get("jid", "")), values.get("host")
    port = int(values["port"]) if "port" in values else None
    if host is None and port is not None:
        host = addresses.domain_of(jid)
    return Options(
        jid=jid,
        password=values.get("password", ""),
        host=host,
        port=port or 5222 if host else None,
        group_service=values.get("group_service"),
        ca=values.get("ca"),
        plaintext=values["plaintext"] == "true",
    )
