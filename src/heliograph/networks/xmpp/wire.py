"""slixmpp's client as the driver needs it: with our parser, and OpenSSL's hash for log-ins."""

import hashlib
import ssl
import xml.etree.ElementTree as ET
from abc import abstractmethod
from typing import Any

import slixmpp
import structlog
from slixmpp.util.sasl.client import SASLCancelled
from slixmpp.util.sasl.mechanisms import SCRAM

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.parsing import GarbageError, StanzaParser

log = structlog.get_logger(__name__)


class Wire(slixmpp.ClientXMPP):
    """A client that parses the stream itself, and hands messages to `message_came`."""

    _xml: StanzaParser | None = None

    @abstractmethod
    def message_came(self, element: ET.Element) -> None: ...

    @abstractmethod
    def garbage_came(self, error: GarbageError) -> None: ...

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
            # slixmpp's handlers raise for a sender that is no JID, and lose what comes behind
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


class ReplacedError(NetworkError):
    """Another connection of the same account has taken this one's place."""


class SessionGoneError(NetworkError):
    """The server answers, and has not kept the session that was to be resumed."""


def untrusted(error: ssl.SSLError) -> NetworkError:
    """The error for a certificate that does not hold, or for TLS that fails."""
    reason = getattr(error, "verify_message", "") or error.reason or str(error)
    return NetworkError(f"The server's certificate is not trusted ({reason}).")


def because(reason: object) -> str:
    """The reason in brackets; nothing if there is none."""
    text = str(reason or "").strip().rstrip(".")
    return f" ({text})" if text else ""


MOST_ROUNDS = 500_000
"""0.2 s. Servers ask for 4,096 to 100,000."""


def salted_password(mechanism: Any, password: bytes | str, salt: bytes, rounds: int) -> bytes:
    """Hash a password for SCRAM (`Hi` in RFC 5802).

    Raises `SASLCancelled` for a number of rounds that nobody needs.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        cancelled: Any = SASLCancelled  # it has no types
        raise cancelled(f"the server asks for {rounds} rounds of hashing")
    secret = password.encode() if isinstance(password, str) else password
    return hashlib.pbkdf2_hmac(mechanism.hash().name, secret, salt, rounds)


def use_openssl() -> None:
    """Hash with OpenSSL in every log-in of this process from here on."""
    # slixmpp hashes in Python, in as many rounds as the server likes: 60 ms of a whole node for
    # each log-in with the usual 10,000, and minutes for a server that means harm
    setattr(SCRAM, "Hi", salted_password)  # noqa: B010 - mypy lets nobody assign a method
