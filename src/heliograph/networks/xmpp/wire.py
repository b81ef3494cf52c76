"""slixmpp's client as the driver needs it: with our parser, and OpenSSL's hash for log-ins."""

import hashlib
import socket
import ssl
import xml.etree.ElementTree as ET
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import slixmpp
import structlog
from slixmpp.util.sasl.client import SASLCancelled
from slixmpp.util.sasl.mechanisms import SCRAM

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.parsing import GarbageError, StanzaParser

log = structlog.get_logger(__name__)

STARTTLS = "xmpp-client"
"""The SRV service of servers that begin without TLS and go on with it (RFC 6120, 3.2.1)."""


class Wire(slixmpp.ClientXMPP):
    """A client that checks addresses before it dials, and parses the stream itself.

    `why_refused` says why an IP address may not be dialed. Messages go to `message_came`.
    """

    _xml: StanzaParser | None = None

    def __init__(
        self, jid: str, password: str, *, why_refused: Callable[[str], str | None], **kwargs: Any
    ) -> None:
        super().__init__(jid, password, **kwargs)
        self._why_refused = why_refused
        self._reason: NetworkError | None = None

    @abstractmethod
    def message_came(self, element: ET.Element) -> None: ...

    @abstractmethod
    def garbage_came(self, error: GarbageError) -> None: ...

    @abstractmethod
    def fail(self, error: NetworkError) -> None: ...

    # --- dialing ---

    async def get_dns_records(
        self, domain: str, port: int | None = None
    ) -> list[tuple[str, str, str, int]]:
        """Look up the domain's servers."""
        # hosts without an SRV record are reached by STARTTLS: slixmpp would try TLS on its port
        # first, and some servers leave that waiting until it times out
        try:
            records = await super().get_dns_records(domain, port)
        except Exception as error:
            self._reason = NetworkError(f"The server can't be found{because(error)}.")
            records = []
        found = [(record[0] or STARTTLS, record[1], record[2], record[3]) for record in records]
        return found or [(STARTTLS, domain, domain, port or self.default_port)]

    async def _attempt_connection(
        self, host: str, port: int, tls: bool, server_hostname: str | None
    ) -> bool:
        """Resolve a name, check each address, and dial the allowed ones."""
        # whatever slixmpp dials, it dials here
        for address in await self._addresses_of(host, port):
            if self._may_dial(address) and await super()._attempt_connection(
                address, port, tls, server_hostname
            ):
                return True
        return False

    async def _addresses_of(self, host: str, port: int) -> list[str]:
        try:
            found = await self.loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            self._reason = NetworkError(f"The server can't be found{because(error)}.")
            return []
        return list(dict.fromkeys(str(where[0]) for *_, where in found))

    def _may_dial(self, address: str) -> bool:
        why = self._why_refused(address)
        if why is not None:
            self._reason = NetworkError(f"The server is at {address}, {why}: not allowed here.")
        return why is None

    def reschedule_connection_attempt(self) -> None:
        """Give up: every address was tried."""
        # the connection decides when to try again
        self._current_connection_attempt = None
        self.fail(self._reason or NetworkError("The server can't be reached."))

    # --- what comes ---

    def init_parser(self) -> None:
        if self._xml is not None:
            self._xml.stop()
        self.xml_root = None
        self._xml = StanzaParser(self._stream_began, self._stanza_came, self._stream_ended)

    def data_received(self, data: bytes | str) -> None:
        if self._xml is None:
            return
        try:
            self._xml.feed(data if isinstance(data, bytes) else data.encode())
        except GarbageError as error:
            self.garbage_came(error)

    def _stream_began(self, root: ET.Element) -> None:
        self.xml_root = root
        begin: Any = self.start_stream_handler
        begin(root)

    def _stanza_came(self, element: ET.Element) -> None:
        try:
            # slixmpp's handlers raise for a sender that is not a JID, and lose later stanzas
            if element.tag == "{jabber:client}message":
                self.message_came(element)
            else:
                self._spawn_event(element)
        except Exception:
            log.exception("xmpp_stanza_failed", tag=element.tag)

    def _stream_ended(self) -> None:
        self.disconnect_reason = "the server ended the stream"
        self.abort()

    def exception(self, exception: Exception) -> None:
        log.error("xmpp_handler_failed", exc_info=exception)


class SessionGoneError(NetworkError):
    """The server answers, but no longer has the session to resume."""


def untrusted(error: ssl.SSLError) -> NetworkError:
    """Return the error for an untrusted certificate, or for a TLS failure."""
    reason = getattr(error, "verify_message", "") or error.reason or str(error)
    return NetworkError(f"The server's certificate is not trusted ({reason}).")


def because(reason: object) -> str:
    """Return the reason in brackets; nothing if there is none."""
    text = str(reason or "").strip().rstrip(".")
    return f" ({text})" if text else ""


MAX_ROUNDS = 500_000
"""0.2 s. Servers ask for 4,096 to 100,000."""


def salted_password(mechanism: Any, password: bytes | str, salt: bytes, rounds: int) -> bytes:
    """Hash a password for SCRAM (`Hi` in RFC 5802).

    Raises `SASLCancelled` for an excessive number of rounds.
    """
    if not 1 <= rounds <= MAX_ROUNDS:
        cancelled: Any = SASLCancelled  # it has no types
        raise cancelled(f"the server asks for {rounds} rounds of hashing")
    secret = password.encode() if isinstance(password, str) else password
    return hashlib.pbkdf2_hmac(mechanism.hash().name, secret, salt, rounds)


def use_openssl() -> None:
    """Hash with OpenSSL in every log-in of this process from here on."""
    # slixmpp hashes in Python, in any number of rounds that the server asks for: each log-in with
    # the usual 10,000 blocks the node for 60 ms, and a malicious server could block it for minutes
    setattr(SCRAM, "Hi", salted_password)  # noqa: B010 - mypy lets nobody assign a method
