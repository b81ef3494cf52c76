"""One XMPP stream: connecting, logging in, requests and answers, acknowledgments (XEP-0198).

A stream lasts as long as its session on the server: a lost connection can be resumed, and
unacknowledged stanzas are then sent again automatically. When the session ends, so does the stream,
and another one is created, without any unsent stanzas of the old one.
"""

import asyncio
import contextlib
import logging
import ssl
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Literal

import slixmpp
import structlog
from slixmpp.exceptions import IqError, IqTimeout
from slixmpp.jid import InvalidJID
from slixmpp.util.sasl.client import MECHANISMS
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

from heliograph.networks.errors import (
    LoggedOutError,
    NetworkError,
    NoAnswerError,
    NotConnectedError,
    ReplacedError,
)
from heliograph.networks.xmpp.addresses import not_allowed
from heliograph.networks.xmpp.options import Options
from heliograph.networks.xmpp.parsing import GarbageError
from heliograph.networks.xmpp.stanzas import AnswerError, refusal_of
from heliograph.networks.xmpp.wire import SessionGoneError, Wire, because, untrusted, use_openssl
from heliograph.platform.aio.futures import resolve, retrieve

use_openssl()
logging.getLogger("slixmpp").setLevel(logging.CRITICAL)  # it writes passwords and messages

log = structlog.get_logger(__name__)

RESOURCE = "heliograph"
KEEP_ALIVE = 60
"""Seconds between blanks that keep NAT mappings of routers alive."""
_NEVER = 86_400.0
"""Seconds, longer than anybody waits: the library needs a number."""
_REFUSED_FOR_GOOD = frozenset(
    {"not-authorized", "account-disabled", "credentials-expired", "invalid-authzid"}
)
_ACK_REQUEST = "<r xmlns='urn:xmpp:sm:3'/>"


class Stream(Wire):
    """The connection of one account.

    `on_message` and `on_presence` get stanzas as they come; `on_acked` gets the ids of our messages
    outside groups that the server has accepted. A message is acknowledged to the server once
    `mark_stored` has been called for it.
    """

    def __init__(
        self,
        options: Options,
        tls: ssl.SSLContext,
        why_refused: Callable[[str], str | None],
        on_message: Callable[[ET.Element, int], None],
        on_presence: Callable[[ET.Element], None],
        on_acked: Callable[[str], object],
        open_timeout: float = 30.0,
    ) -> None:
        super().__init__(
            f"{options.jid}/{RESOURCE}",
            options.password,
            why_refused=why_refused,
            plugin_config={
                "xep_0198": {"window": 1_000_000},
                "feature_mechanisms": {
                    "unencrypted_scram": options.plaintext,
                    "unencrypted_plain": options.plaintext,
                },
            },
            ssl_context=tls,
            loop=asyncio.get_running_loop(),
        )
        self._options = options
        self._on_message = on_message
        self._on_presence = on_presence
        self._on_acked = on_acked
        self._open_timeout = open_timeout
        self._opening: asyncio.Future[Literal["new", "resumed"]] | None = None
        self._is_bound = False
        self._is_over = False
        self._dropped: asyncio.Future[NetworkError] | None = None
        self._unstored: dict[int, None] = {}
        self._resumes = False
        self._asks_for_ack = False
        self.whitespace_keepalive_interval = KEEP_ALIVE
        self.max_redirects = -1  # before TLS, a man in the middle could name another host to trust
        self.enable_plaintext = options.plaintext
        self.enable_direct_tls = options.host is None or options.direct_tls
        self.enable_starttls = not options.direct_tls
        self.roster.auto_authorize = True
        self.roster.auto_subscribe = False
        self._register()

    def _register(self) -> None:
        for plugin in ("xep_0030", "xep_0198", "xep_0199"):
            self.register_plugin(plugin)
        self._sm: Any = self.plugin["xep_0198"]
        setattr(self._sm, "send_ack", self.send_ack)  # noqa: B010 - mypy: no method
        self.add_event_handler("session_start", self._on_bound)
        self.add_event_handler("stream_negotiated", lambda _: self._on_open("new"))
        self.add_event_handler("session_resumed", lambda _: self._on_open("resumed"))
        self.add_event_handler("session_resumed", self._start_keepalive)
        self.add_event_handler("stanza_acked", self._on_stanza_acked)
        self.add_event_handler("sm_failed", self._on_session_gone)
        self.add_event_handler("failed_auth", self._on_refused_login)
        self.add_event_handler("no_auth", self._on_no_login)
        self.add_event_handler("ssl_invalid_chain", self._on_bad_certificate)
        self.add_event_handler("connection_failed", self._on_no_connection)
        self.add_event_handler("stream_error", self._on_stream_error)
        self.add_event_handler("disconnected", self._on_disconnected)
        path = MatchXPath("{jabber:client}presence")
        take_presence = Callback("every presence", path, lambda it: self._on_presence(it.xml))
        self.register_handler(take_presence)

    # --- open and closed ---

    @property
    def is_open(self) -> bool:
        """Whether stanzas can be sent at this moment."""
        return self._dropped is not None and not self._dropped.done()

    @property
    def can_resume(self) -> bool:
        """Whether the server's session can be resumed."""
        # resuming acknowledges everything received as stored
        return bool(self._sm.sm_id) and not self._is_over and not self._unstored

    @property
    def has_acks(self) -> bool:
        return bool(self._sm.enabled_out and self._sm.enabled_in)

    def connect(self, host: str | None = None, port: int | None = None) -> "asyncio.Future[Any]":
        """Dial. Raises `NotConnectedError` once the session is over, when nobody would close it
        again."""
        if self._is_over:
            raise NotConnectedError("This session is over.")
        return super().connect(host, port)

    def connection_made(self, transport: asyncio.BaseTransport, send_event: bool = True) -> None:
        if self._is_over and isinstance(transport, asyncio.WriteTransport):
            transport.abort()
            return
        super().connection_made(transport, send_event)

    async def open(self) -> Literal["new", "resumed"]:
        """Connect and log in, or resume the session of a lost connection.

        Raises `LoggedOutError` for credentials that the server refuses, `ReplacedError`,
        `NetworkError` for temporary failures, and `NotConnectedError` if the session has ended.
        """
        self._reason = None
        self._resumes = self.can_resume
        self.connect(self._options.host, self._options.port)
        self._opening = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._open_timeout):
                how = await self._opening
        except TimeoutError:
            raise NetworkError("The server does not answer.") from None
        finally:
            self._opening = None
            if not self.is_open:
                self.cut()
        return how

    async def dropped(self) -> NetworkError:
        """Wait for the end of the connection. Returns the reason."""
        if self._dropped is None:
            raise NotConnectedError("There is no connection.")
        return await asyncio.shield(self._dropped)

    def cut(self) -> None:
        """Drop the connection at once, without notifying the server."""
        self.cancel_connection_attempt()
        self.abort()
        # a request that is sent at the same moment must not wait for an answer
        self._record_dropped()

    async def close(self) -> None:
        """End the session gracefully: the server keeps unacknowledged messages for later."""
        self._is_over = True
        if self.is_open:
            self.send_ack()
            self._sm.enabled_in = False
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self.disconnect(0.5, ignore_send_queue=True), 1.0)
        self.cut()
        self.retire()

    def retire(self) -> None:
        """Stop slixmpp's tasks for a stream that will not be opened again."""
        self._is_over = True
        filters = getattr(self, "_run_out_filters", None)
        if filters is not None:
            filters.cancel()

    def _on_bound(self, _: object) -> None:
        self._is_bound = self.boundjid.bare == self._options.jid

    def _on_open(self, how: Literal["new", "resumed"]) -> None:
        opening = self._opening
        if opening is None or opening.done() or not self._is_what_was_asked_for():
            self.cut()  # nobody waits for it any more, or it must not be used
            return
        self._dropped = asyncio.get_running_loop().create_future()
        opening.set_result(how)
        if how == "resumed":
            self.request_ack()  # for the stanzas that slixmpp sends again

    def _is_what_was_asked_for(self) -> bool:
        """Return whether the session belongs to the account and is secure."""
        # a man in the middle could offer one without TLS and without a log-in
        self._reason = None  # the reason of an address that was tried earlier
        has_tls = isinstance(self.socket, (ssl.SSLObject, ssl.SSLSocket))
        if not has_tls and not self._options.plaintext:
            self.fail(NetworkError("The server has no TLS, which this account requires."))
        elif not (self._is_bound and self.authenticated):
            self.fail(NetworkError("The server gives the account no session of its own."))
        return self._reason is None

    def _on_session_gone(self, _: object) -> None:
        """Give up a session that can't be resumed."""
        # a server without XEP-0198 ends up here, too
        if self._resumes:
            self._is_over = True
            self.fail(SessionGoneError("The server has ended the session in the meantime."))
            self.cut()

    def fail(self, error: NetworkError) -> None:
        """Record why the connection fails, unless a reason is known."""
        # the first reason is the cause of those that follow
        if self._reason is None:
            self._reason = error
        if self._opening is not None:
            resolve(self._opening, self._reason)

    def _on_disconnected(self, reason: object) -> None:
        if isinstance(reason, ssl.SSLError):
            self.fail(untrusted(reason))
        self.fail(NetworkError(f"The connection was lost{because(reason)}."))
        self._record_dropped()

    def _record_dropped(self) -> None:
        if self._dropped is not None and not self._dropped.done():
            self._dropped.set_result(self._reason or NetworkError("The connection was lost."))

    def _on_refused_login(self, failure: Any) -> None:
        condition = failure["condition"]
        if condition == "not-authorized" and self._tries_other_scram():
            return  # slixmpp tries the next
        if condition in _REFUSED_FOR_GOOD:
            text = failure["text"] or condition
            self.fail(LoggedOutError(f"The server refuses the address or the password ({text})."))
            self.cut()
        else:
            self._reason = NetworkError(f"The server refuses the log-in for now ({condition}).")

    def _tries_other_scram(self) -> bool:
        """Return whether the password may be accepted with another hash; if so, allow only that."""
        # a server that stores one hash can offer others (RFC 5802, section 9); not PLAIN, which
        # would reveal the password to a server that refused it
        login: Any = self.plugin["feature_mechanisms"]
        can_bind = bool(login.sasl_callback(set(), {"channel_binding"}).get("channel_binding"))
        login.mech_list = {
            name
            for name in (login.mech_list - login.attempted_mechs) & MECHANISMS.keys()
            if name.startswith("SCRAM-") and (can_bind or not name.endswith("-PLUS"))
        }
        return bool(login.mech_list)

    def _on_no_login(self, _: object) -> None:
        self._reason = NetworkError(
            "The server offers no log-in that may be used here: SCRAM or, over TLS, PLAIN."
        )

    def _on_bad_certificate(self, error: ssl.SSLError) -> None:
        self.fail(untrusted(error))
        self.cut()

    def _on_no_connection(self, error: object) -> None:
        if isinstance(error, ssl.SSLError):
            self._reason = untrusted(error)
        elif self._reason is None:
            self._reason = NetworkError(f"The server can't be reached{because(error)}.")

    def _on_stanza_acked(self, stanza: Any) -> None:
        # a group reflects messages that it accepts
        if stanza.name == "message" and stanza["type"] != "groupchat":
            self._on_acked(stanza["id"])

    def _on_stream_error(self, error: Any) -> None:
        condition, text = error["condition"], error["text"]
        self._is_over = True
        if condition == "conflict":
            self.fail(ReplacedError("Another connection of this account has taken over."))
        else:
            self.fail(NetworkError(f"The server closed the connection ({text or condition})."))

    # --- what comes ---

    def garbage_came(self, error: GarbageError) -> None:
        self._is_over = True
        self.fail(NetworkError(f"The server sent something that is not XMPP ({error})."))
        self.cut()

    def message_came(self, element: ET.Element) -> None:
        """Take a message, and count it for XEP-0198, because slixmpp does not see it."""
        if self._sm.enabled_in:
            self._sm.handled = (self._sm.handled + 1) % 2**32
        number = self._sm.handled
        self._unstored[number] = None
        try:
            self._on_message(element, number)
        except Exception:  # otherwise no later message would be acknowledged either
            log.exception("xmpp_message_failed")
            self.mark_stored((number,))

    def mark_stored(self, numbers: Iterable[int]) -> None:
        """Record that the messages of these numbers are on disk, or need not be.

        The server may forget them once everything before them is stored, too.
        """
        for number in numbers:
            self._unstored.pop(number, None)

    def send_ack(self) -> None:
        """Acknowledge stored messages, whether the server has asked or not."""
        # the plugin's method would acknowledge messages that are not on disk yet
        if self.transport is not None and self._sm.enabled_in:
            handled = next(iter(self._unstored), self._sm.handled + 1) - 1
            self.send_raw(f"<a xmlns='urn:xmpp:sm:3' h='{handled}'/>")

    # --- what goes ---

    def post(self, kind: str, attributes: dict[str, str], *children: ET.Element) -> None:
        """Send a message or a presence. Raises `NotConnectedError`."""
        self._require_open()
        stanza: Any = self.Message() if kind == "message" else self.Presence()
        for name, value in attributes.items():
            stanza.xml.set(name, value)
        for child in children:
            stanza.xml.append(child)
        self.send(stanza)

    def request_ack(self) -> None:
        """Request an acknowledgment; one for everything that is sent together."""
        if not self._asks_for_ack:
            self._asks_for_ack = True
            asyncio.get_running_loop().call_soon(self._request_ack)

    def _request_ack(self) -> None:
        self._asks_for_ack = False
        if self.is_open:
            self.send(_ACK_REQUEST)  # queued behind the stanzas that it concerns

    async def ask(
        self,
        kind: Literal["get", "set"],
        payload: ET.Element,
        to: str | None = None,
        *,
        timeout: float | None = None,
    ) -> ET.Element:
        """Send an `<iq/>` and return its answer. Without a `timeout`, the caller ends the wait.

        Raises `AnswerError`, `NotConnectedError`, and `NoAnswerError` when there is no answer.
        """
        dropped = self._require_open()
        iq: Any = self.Iq()
        iq["type"] = kind
        iq.xml.append(payload)
        try:
            if to is not None:
                iq["to"] = to
            sent = iq.send(timeout=_NEVER if timeout is None else timeout)
            answer = await _answer_or_end(sent, dropped)
        except IqError as error:
            raise AnswerError(refusal_of(error.iq.xml)) from None
        except InvalidJID:
            raise NetworkError(f"{to!r} is not a JID.", permanent=True) from None
        except IqTimeout:
            raise NoAnswerError("The server does not answer.") from None
        finally:
            self._stop_waiting(iq["id"])
        element: ET.Element = answer.xml
        return element

    def _stop_waiting(self, id_: str) -> None:
        """Forget a question; the library would wait on when the caller does not any more."""
        self.cancel_schedule(f"IqTimeout_{id_}")
        self.remove_handler(f"IqCallback_{id_}")

    async def ping(self) -> None:
        """Ping the server. Raises `NetworkError` if it does not answer. A refusal is an answer."""
        with contextlib.suppress(AnswerError):
            await self.ask("get", ET.Element("{urn:xmpp:ping}ping"), self.boundjid.host)
        self.request_ack()

    def _require_open(self) -> "asyncio.Future[NetworkError]":
        """Return the future of the connection's end. Raises `NotConnectedError` if it has come."""
        if self._dropped is None or self._dropped.done():
            raise NotConnectedError("The account is not connected to its server at the moment.")
        return self._dropped


@contextlib.asynccontextmanager
async def answered_within(seconds: float) -> AsyncIterator[None]:
    """Raise `NoAnswerError` when what is asked takes longer."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise NoAnswerError("The server does not answer.") from None


async def _answer_or_end(
    answer: "asyncio.Future[Any]", dropped: "asyncio.Future[NetworkError]"
) -> Any:
    """Wait for an answer. Raises `NetworkError` if the connection ends before it comes."""
    answer.add_done_callback(retrieve)
    await asyncio.wait([answer, dropped], return_when=asyncio.FIRST_COMPLETED)
    if not answer.done():
        answer.cancel()
        raise NoAnswerError("The connection was lost before the answer came.")
    return answer.result()


def check_jid(jid: str) -> None:
    """Raise `NetworkError` unless this is a JID by slixmpp's rules."""
    try:
        slixmpp.JID(f"{jid}/{RESOURCE}")
    except InvalidJID:
        raise not_allowed(jid) from None
