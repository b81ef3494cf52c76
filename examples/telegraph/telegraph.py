"""The driver of a small network, to learn from: one TCP connection, a JSON object in each line.

A request names what to `do` and is numbered; its answer says `re`, that number, and perhaps an
`error`. Otherwise it is an `event`, numbered and kept by `office.py` until it is acknowledged.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from heliograph.networks.connection import (
    LAST_PORT,
    ReconnectingSession,
    dial,
    parsing,
    read_lines,
)
from heliograph.networks.content import Text, not_understood
from heliograph.networks.errors import (
    InvalidAddressError,
    InvalidInviteError,
    LoggedOutError,
    RecipientNotFoundError,
    ReplacedError,
)
from heliograph.networks.form import FormField
from heliograph.networks.port import (
    Account,
    AccountStatus,
    Capabilities,
    Events,
    Inbound,
    Network,
    NetworkContext,
    Outgoing,
    Receipt,
    Sent,
    Session,
    SessionState,
)

DOMAIN = "@telegraph"
LOGGED_OUT = "The account was logged out: connect it anew."


class TelegraphNetwork(Network):
    """`first_delay` is the first wait, in seconds, before a lost connection is built up again."""

    name = "telegraph"
    title = "Telegraph (example)"
    capabilities = Capabilities(
        content=frozenset({"text"}), deduplicates_by_id=True, send_rate=None
    )
    form = (
        FormField("host", "Office", required=True, default="127.0.0.1"),
        FormField(
            "port",
            "Port",
            kind="integer",
            required=True,
            default="7070",
            minimum=1,
            maximum=LAST_PORT,
        ),
        FormField("station", "Station", required=True),
        FormField("key", "Key", kind="password", required=True, secret=True),
    )

    def __init__(self, *, first_delay: float = 1.0) -> None:
        self._first_delay = first_delay
        self._judge: Callable[[str], str | None] = lambda _: None

    def start(self, context: NetworkContext) -> None:
        self._judge = context.why_refused

    def recipient(self, value: str, settings: Mapping[str, str]) -> str:
        digits = value.removesuffix(DOMAIN)
        if not (digits.isascii() and digits.isdigit() and 5 <= len(digits) <= 15):
            raise InvalidAddressError(f"{value!r} is no number of the telegraph.")
        return digits + DOMAIN

    def is_group(self, remote_jid: str) -> bool:
        return False

    def check_invite_link(self, invite_link: str) -> None:
        raise InvalidInviteError("The telegraph has no groups.")

    def message_id(self, message_id: UUID) -> str:
        return message_id.hex

    async def connect(self, account: Account, events: Events) -> Session:
        return TelegraphSession(
            account, events, first_delay=self._first_delay, why_refused=self._judge
        )


class TelegraphSession(ReconnectingSession[dict[str, Any]]):
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    async def send(self, message: Outgoing) -> Sent:
        to, text = message.recipient, message.content.summary
        request = {"do": "send", "id": message.chat_message_id, "to": to, "text": text}
        answer = await self.ask(request)
        with parsing():
            return Sent(to, read_time(answer["at"]), phone_number="+" + to.removesuffix(DOMAIN))

    async def ping(self) -> None:
        await self.ask({"do": "ping"})

    async def log_out(self) -> None:
        await self.ask({"do": "log_out"})  # the office closes the connection, and says why

    async def open(self) -> None:
        form = self.account.settings
        self._reader, self._writer = await dial(form["host"], form["port"], self.why_refused)

    async def log_in(self) -> SessionState:
        station, key = self.account.settings["station"], self.account.secrets["key"]
        answer = await self.request({"do": "log_in", "station": station, "key": key})
        with parsing():
            jid, number = answer["jid"], "+" + answer["jid"].removesuffix(DOMAIN)
        return SessionState(AccountStatus.CONNECTED, remote_jid=jid, phone_number=number)

    async def read(self) -> None:
        async for line in read_lines(self._reader):
            with parsing():
                match json.loads(line):
                    case {"re": int(number), "error": "logged_out"}:
                        self.refused(number, LoggedOutError(LOGGED_OUT))
                    case {"re": int(number), "error": _}:
                        self.refused(number, RecipientNotFoundError("Nobody has this number."))
                    case {"re": int(number)} as answer:
                        self.answered(number, answer)
                    case {"event": "bye", "why": "logged_out"}:
                        raise LoggedOutError(LOGGED_OUT)
                    case {"event": "bye"}:
                        raise ReplacedError("Another session of this account has logged in.")
                    case event:
                        if seen := read_event(event):  # else it is acknowledged with the next
                            await self.arrived(seen, int(event["number"]))

    def write(self, number: int, request: dict[str, Any]) -> None:
        self._writer.write(json.dumps({"n": number, **request}).encode() + b"\n")

    def acknowledge(self, number: int) -> None:
        self.write(0, {"do": "ack", "upto": number})  # not answered

    def hang_up(self) -> None:
        self._writer.close()


def read_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=at.tzinfo or UTC)  # the port takes no time without a zone


_FRAME = ("chat", "id", "at", "number")


def read_event(said: dict[str, Any]) -> Inbound | Receipt | None:
    chat, message_id, at = said["chat"], said["id"], read_time(said["at"])
    match said:
        case {"event": "receipt", "kind": "delivered" | "read" as kind}:
            return Receipt(chat, message_id, kind, at)
        case {"event": "message", "text": str(text)}:
            return Inbound(chat, chat, message_id, Text(text), at)
        case {"event": "message", **what}:  # of a newer office: told, never dropped
            kind = next((name for name in what if name not in _FRAME), "message")
            return Inbound(chat, chat, message_id, not_understood(kind), at)
    return None  # of a newer office, and nothing that a person wrote
