"""A shop's day in the demo, so that its pages have something to show: people ask and press, the
shop answers, labels and takes notes. Only the texts are made up."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from heliograph.core.accounts.model import Account
from heliograph.core.inbox.model import ConversationChange, ConversationStatus, InboxFilter
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.model import SentBy, new_run_id
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, operator
from heliograph.networks.content import read_content
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_actions import Choose, PhoneAction, Press, React, Say

_ARRIVAL_TIMEOUT = 20.0
"""Seconds for a message to arrive."""
_BETWEEN = 0.1
_MANY = 1_000
"""Messages of a chat that are counted."""
LABELS = {"Order": "#2f6fb3", "Delivery": "#2f7a3c", "Complaint": "#b3261e", "Regular": "#8a5a00"}
CANNED = {
    "hours": "We are open Tuesday to Sunday, from 11 in the morning to 10 at night.",
    "thanks": "Thank you, {name}! See you soon.",
    "late": "Sorry, {name}, we are running late today: your order comes half an hour later.",
}

Step: TypeAlias = Callable[["Day", str], Awaitable[object]]


def says(text: str) -> Step:
    return lambda day, phone: day.hear(phone, Say(phone, text))


def presses(button: str) -> Step:
    return lambda day, phone: day.hear(phone, Press(phone, button))


def chooses(row: str) -> Step:
    return lambda day, phone: day.hear(phone, Choose(phone, row))


def reacts(emoji: str) -> Step:
    return lambda day, phone: day.act(React(phone, emoji))


def shop(**content: Any) -> Step:
    return lambda day, phone: day.send(phone, content)


def shop_says(text: str) -> Step:
    return shop(type="text", body=text)


def note(text: str) -> Step:
    return lambda day, phone: day.note(phone, text)


def label(*names: str) -> Step:
    return lambda day, phone: day.label(phone, names)


def change(**values: Any) -> Step:
    return lambda day, phone: day.change(phone, ConversationChange(**values))


_TABLE = {
    "type": "buttons",
    "body": "Your table for two tonight at 20:00. Shall we keep it?",
    "buttons": [{"id": "yes", "title": "Yes, please"}, {"id": "no", "title": "No, cancel it"}],
    "footer": "Trattoria Lume",
}
_TIMES = {
    "type": "list",
    "body": "When shall we bring it?",
    "button": "See the times",
    "sections": [
        {
            "title": "Tonight",
            "rows": [
                {"id": "18", "title": "18:00 to 19:00"},
                {"id": "19", "title": "19:00 to 20:00", "description": "the busiest hour"},
                {"id": "20", "title": "20:00 to 21:00"},
            ],
        }
    ],
}
_PLACE = {
    "type": "location",
    "latitude": 45.4642,
    "longitude": 9.19,
    "name": "Trattoria Lume",
    "address": "Via dei Fiori 7",
}

DAY: Sequence[tuple[str, Sequence[Step]]] = (
    ("Femi Fontana", (says("Do you have gluten-free pasta?"), shop_says("Yes, penne and fusilli."),
                      reacts("👍"), change(status=ConversationStatus.CLOSED))),
    ("Hugo Haddad", (shop(**_TABLE), presses("No, cancel it"), shop_says("Canceled. Another time!"),
                     change(status=ConversationStatus.CLOSED))),
    ("Grace Gupta", (says("Can I bring my dog?"), shop_says("Of course, there is water for him."),
                     label("Regular"))),
    ("Elif Eriksen", (says("The lasagna arrived cold, and the salad was missing."),
                      label("Complaint"), note("Second time this week with this courier."),
                      shop_says("We are sorry! We bring a new one at once, and it is on us."),
                      says("That is kind, thank you."))),
    ("Dario Duarte", (says("Where are you exactly?"), shop(**_PLACE), says("Found it!"))),
    ("Chiara Costa", (says("Two margheritas and a tiramisù to Via Roma 12, please."),
                      label("Order", "Delivery"), shop(**_TIMES), chooses("19:00 to 20:00"),
                      shop_says("Perfect. They leave the oven at seven."))),
    ("Bruno Berg", (says("Is there a table for six on Saturday?"), label("Regular"),
                    note("He always asks for the one by the window."))),
    ("Ada Abara", (shop(**_TABLE), presses("Yes, please"), label("Regular"),
                   shop_says("See you at eight. The window table is yours."),
                   says("Wonderful! We may be three, is that all right?"))),
)  # fmt: skip
"""People, and what happens with each in turn. The last is the newest in the inbox."""


class Day:
    """Play the day through one account of the demo."""

    def __init__(self, services: Services, account: Account) -> None:
        self._services = services
        self._account = account
        self._principal: Principal = operator(account.tenant)
        self._labels: dict[str, UUID] = {}
        self.phones = services.simulator.of(account)

    async def play(self, progress: Callable[[int, int], None]) -> int:
        """Play the day, and return how many steps it took; `progress` receives (done, total)."""
        await self._make_words()
        total, done = sum(len(steps) for _, steps in DAY), 0
        for who, steps in DAY:
            person = await self.phones.find_person(who)
            for step in steps:
                await step(self, person.phone_number)
                done += 1
                progress(done, total)
        return done

    async def _make_words(self) -> None:
        """Make the labels and canned replies that do not exist yet."""
        self._labels = {
            each.name: each.id for each in await self._services.labels.list(self._principal)
        }
        for name, color in LABELS.items():
            if name not in self._labels:
                made = await self._services.labels.create(self._principal, name, color)
                self._labels[name] = made.id
        there = {
            each.shortcut for each in await self._services.canned_replies.list(self._principal)
        }
        for shortcut, body in CANNED.items():
            if shortcut not in there:
                await self._services.canned_replies.create(self._principal, shortcut, body)

    async def hear(self, phone: str, action: PhoneAction) -> None:
        """Have the phone do something, and wait until the shop has received it."""
        before = await self._last_heard(phone)
        await self.act(action)
        await self._until(lambda: self._is_later(phone, before))

    async def act(self, action: PhoneAction) -> None:
        """Do something that may need a message still on its way to the phone."""

        async def is_done() -> bool:
            try:
                await self.phones.act(action)
            except NetworkError:
                return False
            return True

        await self._until(is_done)

    async def send(self, phone: str, content: dict[str, Any]) -> None:
        """Send a message, and wait until the phone has it, so that what comes next follows it."""
        before = await self._count(phone)
        request = SendMessage(
            SendTo(phone),
            content=read_content(content).to_content(),
            run_id=new_run_id(),
            account_id=self._account.id,
            sent_by=SentBy("user", None, "Lucia"),
        )
        await self._services.messages.send(self._principal, request, None)

        async def has_arrived() -> bool:
            return await self._count(phone) > before

        await self._until(has_arrived)

    async def note(self, phone: str, text: str) -> None:
        await self._services.notes.write(self._principal, await self._conversation(phone), text)

    async def label(self, phone: str, names: Sequence[str]) -> None:
        conversation_id = await self._conversation(phone)
        for name in names:
            await self._services.inbox.add_label(
                self._principal, conversation_id, self._labels[name]
            )

    async def change(self, phone: str, wanted: ConversationChange) -> None:
        await self._services.inbox.change(self._principal, await self._conversation(phone), wanted)

    async def _conversation(self, phone: str) -> UUID:
        """Return the conversation with a phone, once the gateway has taken the first message."""
        await self._until(lambda: self._is_there(phone))
        found: UUID = (await self._find(phone))["id"]
        return found

    async def _find(self, phone: str) -> dict[str, Any]:
        """Return the record of the conversation with a phone, empty where there is none yet."""
        page = await self._services.conversations.list(
            self._principal, InboxFilter(account_id=self._account.id), limit=1, phone_number=phone
        )
        return dict(page.records[0]) if page.records else {}

    async def _is_there(self, phone: str) -> bool:
        return bool(await self._find(phone))

    async def _last_heard(self, phone: str) -> datetime | None:
        found: datetime | None = (await self._find(phone)).get("last_inbound_at")
        return found

    async def _is_later(self, phone: str, before: datetime | None) -> bool:
        return await self._last_heard(phone) not in (None, before)

    async def _count(self, phone: str) -> int:
        return len(await self.phones.receive(phone, limit=_MANY))

    async def _until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Wait until it holds. Raises `NetworkError` when that takes too long."""
        deadline = asyncio.get_running_loop().time() + _ARRIVAL_TIMEOUT
        while not await holds():
            if asyncio.get_running_loop().time() > deadline:
                raise NetworkError("The gateway makes no progress: is it still running?")
            await asyncio.sleep(_BETWEEN)
