"""The driver of a small network, to learn from: one TCP connection, a JSON object in each line.

A request names what to `do` and is numbered; its answer says `re`, that number, and perhaps an
`error`. What happens otherwise is an `event`. Messages and receipts are numbered, too, and kept by
the office until the station has acknowledged them. `office.py` is the other side.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from heliograph.networks.content import Text
from heliograph.networks.errors import (
    InvalidAddressError,
    InvalidInviteError,
    LeaseLostError,
    LoggedOutError,
    NetworkError,
    NoAnswerError,
    NotConnectedError,
    RecipientNotFoundError,
)
from heliograph.networks.port import (
    Account,
    AccountStatus,
    Capabilities,
    Event,
    Events,
    FormField,
    Inbound,
    Network,
    NetworkContext,
    Outgoing,
    Receipt,
    Sent,
    Session,
    SessionState,
)
from heliograph.networks.reporting import Reporter, backoff

DOMAIN = "@telegraph"
ANSWER_SECONDS = 30.0
LOGGED_OUT = "The account was logged out: connect it anew."


class ReplacedError(NotConnectedError):
    """Another session of this account has logged in."""


class TelegraphNetwork(Network):
    """`patience` is the first wait, in seconds, before a lost connection is built up again."""

    name = "telegraph"
    title = "Telegraph (example)"
    capabilities = Capabilities(content=frozenset({"text"}), folds_by_id=True, send_rate=None)
    form = (
        FormField("host", "Office", required=True, default="127.0.0.1"),
        FormField("port", "Port", kind="number", required=True, default="7070"),
        FormField("station", "Station", required=True),
        FormField("key", "Key", kind="password", required=True, secret=True),
    )

    def __init__(self, *, patience: float = 1.0) -> None:
        self._patience = patience
        self._why_refused: Callable[[str], str | None] = lambda _: None

    def start(self, context: NetworkContext) -> None:
        self._why_refused = context.why_refused

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
        reporter = Reporter(events, account.id, patience=self._patience)
        return TelegraphSession(account, reporter, self._why_refused, self._patience)


class TelegraphSession(Session):
    def __init__(
        self,
        account: Account,
        reporter: Reporter,
        why_refused: Callable[[str], str | None],
        patience: float,
    ) -> None:
        self._account = account
        self._reporter = reporter
        self._why_refused = why_refused
        self._patience = patience
        self._final: NetworkError | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._numbers = itertools.count()
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._life = asyncio.create_task(self._stay_connected())

    # --- what the gateway asks ---

    async def send(self, message: Outgoing) -> Sent:
        answer = await self._ask(
            "send",
            id=message.chat_message_id,
            to=message.recipient,
            text=message.content.summary,
        )
        number = "+" + message.recipient.removesuffix(DOMAIN)
        return Sent(message.recipient, datetime.fromisoformat(answer["at"]), phone_number=number)

    async def ping(self) -> None:
        await self._ask("ping")

    async def log_out(self) -> None:
        await self._ask("log_out")  # the office closes the connection, and says why

    async def close(self) -> None:
        self._final = self._final or NotConnectedError("This session is closed.")
        self._life.cancel()
        await asyncio.wait([self._life])

    # --- the connection ---

    async def _stay_connected(self) -> None:
        attempt = 0
        with contextlib.suppress(LeaseLostError):  # another node's session goes on
            while self._final is None:
                await self._reporter.require_lease()
                try:
                    await self._connect_once()
                except (LoggedOutError, ReplacedError) as error:
                    self._final = error
                    is_out = isinstance(error, LoggedOutError)
                    status = AccountStatus.LOGGED_OUT if is_out else AccountStatus.DISCONNECTED
                    await self._reporter.show(status, error.reason)
                    return
                except (NetworkError, OSError, ValueError) as error:
                    if self._reporter.status is AccountStatus.CONNECTED:
                        attempt = 0
                    if self._reporter.status is not AccountStatus.CONNECTING:
                        await self._reporter.show(AccountStatus.DISCONNECTED, str(error))
                await asyncio.sleep(backoff(attempt, self._patience))
                attempt += 1
                await self._reporter.show(AccountStatus.CONNECTING)

    async def _connect_once(self) -> None:
        """Log in, and stay. Raises the reason for which the connection has ended."""
        settings = self._account.settings
        address = await self._find_address(settings["host"], int(settings["port"]))
        reader, self._writer = await asyncio.open_connection(address, int(settings["port"]))
        arrived: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        tasks = [
            asyncio.create_task(self._read(reader, arrived)),
            asyncio.create_task(self._pass_on(arrived, self._writer)),
        ]
        try:
            key = self._account.secrets["key"]
            answer = await self._request("log_in", station=settings["station"], key=key)
            jid = answer["jid"]
            number = "+" + jid.removesuffix(DOMAIN)
            state = SessionState(AccountStatus.CONNECTED, remote_jid=jid, phone_number=number)
            await self._reporter.report(state)
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()
        finally:
            for task in tasks:
                task.cancel()
            self._writer.close()
            self._writer = None
            await asyncio.wait(tasks)

    async def _find_address(self, host: str, port: int) -> str:
        # what a customer types as a host may lead where the gateway must not dial
        [found, *_] = await asyncio.get_running_loop().getaddrinfo(host, port)
        if why := self._why_refused(address := str(found[4][0])):
            raise NetworkError(f"The office is at {address}, {why}: not allowed here.")
        return address

    async def _ask(self, do: str, **fields: str) -> dict[str, Any]:
        if self._final is not None:
            raise self._final
        if self._writer is None or self._reporter.status is not AccountStatus.CONNECTED:
            raise NotConnectedError("The account is not connected to its office at the moment.")
        return await self._request(do, **fields)

    async def _request(self, do: str, **fields: str) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            _write(self._writer, {"do": do, "n": number, **fields})
            async with asyncio.timeout(ANSWER_SECONDS):
                found: dict[str, Any] = await answer
        except TimeoutError:
            raise NoAnswerError("The office does not answer.") from None
        finally:
            del self._answers[number]
        if found.get("error") == "unknown":
            raise RecipientNotFoundError("Nobody has this number.")
        if found.get("error") == "logged_out":
            raise LoggedOutError(LOGGED_OUT)
        return found

    # --- what the office says ---

    async def _read(
        self, reader: asyncio.StreamReader, arrived: asyncio.Queue[dict[str, Any]]
    ) -> None:
        try:
            async for line in reader:
                said = json.loads(line)
                if "re" in said:
                    if answer := self._answers.get(said["re"]):
                        answer.set_result(said)
                elif said["event"] == "bye" and said["why"] == "logged_out":
                    raise LoggedOutError(LOGGED_OUT)
                elif said["event"] == "bye":
                    raise ReplacedError("Another session of this account has logged in.")
                else:
                    arrived.put_nowait(said)
            raise NetworkError("The office closed the connection.")
        finally:
            for answer in self._answers.values():
                if not answer.done():  # it may have done what was asked
                    answer.set_exception(NoAnswerError("The connection was lost."))

    async def _pass_on(
        self, arrived: asyncio.Queue[dict[str, Any]], writer: asyncio.StreamWriter
    ) -> None:
        """Acknowledge what the gateway has on disk, and nothing before that."""
        while True:
            batch = [await arrived.get()]
            while not arrived.empty():
                batch.append(arrived.get_nowait())
            await self._reporter.publish([read_event(said) for said in batch])
            _write(writer, {"do": "ack", "upto": batch[-1]["number"]})


def read_event(said: dict[str, Any]) -> Event:
    at = datetime.fromisoformat(said["at"])
    if said["event"] == "receipt":
        return Receipt(said["chat"], said["id"], said["kind"], at)
    return Inbound(said["chat"], said["chat"], said["id"], Text(said["text"]), at)


def _write(writer: asyncio.StreamWriter | None, request: dict[str, Any]) -> None:
    if writer is None or writer.is_closing():
        raise NotConnectedError("The connection was lost.")
    writer.write(json.dumps(request).encode() + b"\n")
