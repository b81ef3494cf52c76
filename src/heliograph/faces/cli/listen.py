"""`heliograph listen`: show events as they happen, and pass them on.

Events are read from the database, so that the command works wherever the gateway runs and whatever
addresses it may post to. It takes no part in deliveries and changes nothing. Each event is signed
like a delivery, and the signature is verified, as a receiver would, before it is shown.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
import typer
from rich.text import Text

from heliograph.core.events.model import Event
from heliograph.core.events.service import EventFeed
from heliograph.core.services import Services
from heliograph.core.webhooks.headers import webhook_headers
from heliograph.core.webhooks.queue.batching import BATCH_TYPE, batch_body, split
from heliograph.errors import UnavailableError
from heliograph.faces.cli.options import OrganizationOption, parse_webhook_id
from heliograph.faces.cli.output import Screen, print_json_line
from heliograph.faces.cli.running import open_as_operator
from heliograph.faces.cli.webhooks import EventOption
from heliograph.platform.crypto.webhook_signing import (
    SigningKey,
    generate_webhook_secret,
    verify_webhook,
)
from heliograph.platform.outbound_http import (
    AddressPolicy,
    GuardedClient,
    OutboundError,
    SystemResolver,
    check_url,
)
from heliograph.platform.terminal import plain

LOOK_INTERVAL = 0.2
GONE_AFTER = 3.0
"""Seconds without an answer from the database after which that is reported."""
FORWARDING = AddressPolicy.ALL
"""Whoever sits at this terminal may choose where events are forwarded."""


@dataclass(frozen=True, slots=True)
class Request:
    """A webhook request as it would be posted."""

    headers: dict[str, str]
    body: bytes

    def as_json(self) -> bytes:
        """Return one line: `{"headers": …, "body": …}`."""
        return msgspec.json.encode({"headers": self.headers, "body": msgspec.Raw(self.body)})


def listen(
    forward_to: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A URL to pass each request on to, with its headers."),
    ] = None,
    event: EventOption = None,
    webhook: Annotated[
        UUID | None,
        typer.Option(
            parser=parse_webhook_id,
            metavar="WEBHOOK_ID",
            help="Sign with this webhook's secret instead of one made for this run, and post "
            "in batches where it takes them.",
        ),
    ] = None,
    organization: OrganizationOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help='One line each: {"headers": …, "body": …}.')
    ] = False,
) -> None:
    """Show events as they happen, as they would be posted to a webhook. Ctrl-C ends it."""
    if forward_to is not None:
        _check(forward_to)
    logging.getLogger("asyncpg.pool").setLevel(logging.ERROR)  # `Listener` says it to a person
    with suppress(KeyboardInterrupt):
        asyncio.run(_listen(organization, event or ["*"], webhook, forward_to, as_json=as_json))


def _check(forward_to: str) -> None:
    try:
        check_url(forward_to, FORWARDING)
    except OutboundError as error:
        raise typer.BadParameter(f"--forward-to: {error}") from None


async def _listen(
    organization: str | None,
    types: list[str],
    webhook_id: UUID | None,
    forward_to: str | None,
    *,
    as_json: bool,
) -> None:
    resolver = SystemResolver()
    client = GuardedClient(FORWARDING, resolver)
    try:
        async with open_as_operator(organization) as (services, principal):
            feed = services.deliveries.follow(principal, types)
            secret, most = generate_webhook_secret(), None
            if webhook_id is not None:
                secret = await services.webhooks.show_secret(principal, webhook_id)
                batch = (await services.webhooks.get(principal, webhook_id)).batch
                most = None if batch is None else batch.max_events
            listener = Listener(
                services, feed, secret, client, forward_to, as_json=as_json, most=most
            )
            await listener.run()
    finally:
        await client.close()
        await resolver.close()


class Listener:
    """Sign, verify, show and pass on the events of a feed."""

    def __init__(
        self,
        services: Services,
        feed: EventFeed,
        secret: str,
        client: GuardedClient,
        forward_to: str | None,
        *,
        as_json: bool,
        most: int | None = None,
    ) -> None:
        """`most` is how many events are in a batch; None signs each event by itself."""
        self._most = most
        self._clock = services.database.clock
        self._feed = feed
        self._secret = secret
        self._client = client
        self._forward_to = forward_to
        self._as_json = as_json
        self._console = Screen(soft_wrap=True)
        self._notes = Screen(soft_wrap=True, stderr=True)

    async def run(self) -> None:
        await self._feed.start()
        self._greet()
        while True:
            for webhook_id, body in self._bodies(await self._read()):
                await self._handle(webhook_id, body)
            await asyncio.sleep(LOOK_INTERVAL)

    def _bodies(self, events: Sequence[Event]) -> Iterable[tuple[UUID, bytes]]:
        """Return the bodies of the next requests, each with its `webhook-id`."""
        told = [(event.id, event.payload) for event in events]
        if self._most is None:
            return told
        return [(self._clock.new_id(), batch_body(each)) for each in split(told, self._most)]

    async def _read(self) -> list[Event]:
        """Return what is new once the database answers; say once when it is gone, and when back."""
        is_gone = False
        while True:
            try:
                events = await self._feed.read(timeout=GONE_AFTER)
            except UnavailableError:
                if not is_gone:
                    self._note("The gateway's database does not answer. Trying until it is back.")
                is_gone = True
            else:
                if is_gone:
                    missed = "This is what happened" if events else "Nothing happened"
                    self._note(f"It is back. {missed} in the meantime{':' if events else '.'}")
                return events

    def _note(self, sentence: str) -> None:
        self._notes.print(Text(sentence, style="yellow"))

    def _greet(self) -> None:
        """Say where events go, on standard error, so that `--json` can be piped."""
        self._notes.print(Text("Listening for events. Ctrl-C ends it.", style="bold"))
        if self._forward_to is not None:
            self._notes.print(Text(f"Passed on to {self._forward_to}", style="dim"))
            self._notes.print(Text(f"Signed with {self._secret}", style="dim"))
        self._notes.print()

    async def _handle(self, webhook_id: UUID, content: bytes) -> None:
        request = self._sign(webhook_id, content)
        forwarded = await self._forward(request)
        if self._as_json:
            print_json_line(request.as_json())
            return
        body: dict[str, Any] = msgspec.json.decode(request.body)
        for line in event_lines(body):
            self._console.print(line)
        if forwarded is not None:
            self._console.print(Text(_INDENT) + forwarded)

    def _sign(self, webhook_id: UUID, body: bytes) -> Request:
        """Sign a body, and verify it as a receiver would. Raises `InvalidSignatureError`."""
        now = self._clock.now()
        headers = webhook_headers([SigningKey(self._secret)], webhook_id, body, now)
        verify_webhook([self._secret], headers, body, now=now.timestamp())
        return Request(headers, body)

    async def _forward(self, request: Request) -> Text | None:
        if self._forward_to is None:
            return None
        try:
            exchange = await self._client.post(self._forward_to, request.headers, request.body)
        except OutboundError as error:
            return Text(f"→ {error}", style="red")
        style = "green" if 200 <= exchange.status < 300 else "red"
        return Text.assemble(
            (f"→ {exchange.status}", style), (f" in {exchange.duration_ms:.0f} ms", "dim")
        )


_STYLES = {
    "message.received": "bold cyan",
    "message.sent": "blue",
    "message.delivered": "green",
    "message.read": "bold green",
    "message.failed": "bold red",
    "device.connected": "bold yellow",
    "device.disconnected": "red",
    "device.logged_out": "bold red",
    "device.restricted": "bold yellow",
}
_TYPE_WIDTH = 19
_TEXT_WIDTH = 60
_INDENT = " " * 11


def event_lines(body: Mapping[str, Any]) -> list[Text]:
    """Return the lines for the decoded body of a webhook request, without control characters: those
    of each event of a batch."""
    if body["type"] == BATCH_TYPE:
        return [line for event in body["data"]["events"] for line in event_lines(event)]
    lines = _lines(body)
    for line in lines:
        line.plain = plain(line.plain)
    return lines


def _lines(body: Mapping[str, Any]) -> list[Text]:
    event_type, data = str(body["type"]), body["data"]
    line = Text.assemble(
        (_time(str(body["timestamp"])), "dim"),
        (" ✓ ", "green"),
        (f"{event_type:<{_TYPE_WIDTH}}", _STYLES.get(event_type, "yellow")),
    )
    category = event_type.partition(".")[0]
    if category == "message":
        return [line + _message(data), *_details(_message_details(data))]
    if category == "device":
        return [line + _device(data), *_details(_device_details(data))]
    return [line]


def _time(timestamp: str) -> str:
    """Format the local time of day."""
    return datetime.fromisoformat(timestamp).astimezone().strftime("%H:%M:%S")


def _message(data: Mapping[str, Any]) -> Text:
    return Text.assemble(
        "  ",
        (str(data.get("phone_number") or "?"), "bold"),
        (f" {data['contact_name']}" if data.get("contact_name") else "", "dim"),
        f"  “{_cut(str(data.get('content') or ''))}”",
    )


def _message_details(data: Mapping[str, Any]) -> Iterable[Text]:
    if button := data.get("button"):
        yield Text.assemble((f" {button['title']} ", "reverse cyan"), (f" {button['id']}", "cyan"))
    said = data.get("typed_content") or {}
    if said.get("type") == "list_reply":
        yield Text.assemble((f" {said['title']} ", "reverse cyan"), (f" {said['id']}", "cyan"))
    if answered := data.get("reply_to_message_id"):
        yield Text(f"answers {answered}", style="dim")
    if reason := data.get("failure_reason"):
        yield Text(str(reason), style="red")


def _device(data: Mapping[str, Any]) -> Text:
    return Text.assemble(
        "  ",
        (str(data.get("phone_number") or "—"), "bold"),
        f"  {data.get('name', '')} ({data.get('session_name', '')})",
    )


def _device_details(data: Mapping[str, Any]) -> Iterable[Text]:
    if reason := data.get("reason"):
        yield Text(str(reason), style="dim")


def _details(parts: Iterable[Text]) -> list[Text]:
    found = list(parts)
    return [Text(_INDENT) + Text("  ").join(found)] if found else []


def _cut(content: str) -> str:
    line = " ".join(content.split())
    return line if len(line) <= _TEXT_WIDTH else line[: _TEXT_WIDTH - 1] + "…"
