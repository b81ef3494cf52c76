"""The telegraph's driver does what every driver must do."""

from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

import pytest
from msgspec.structs import replace

from heliograph.networks.content import Content, Text
from heliograph.networks.port import Account, AccountStatus
from heliograph.networks.testing import Conformance, Connected, Harness, Recorder, ShownMessage
from office import Office
from telegraph import TelegraphNetwork


class Telegraph(Harness):
    person = "15550100001"
    other_person = "15550100002"
    nobody = "15550109001"

    def __init__(self, office: Office, port: int) -> None:
        self.network = TelegraphNetwork(first_delay=0.01)
        self.office = office
        self.port = port
        self.opened: list[Connected] = []

    async def connected(self, account: Account | None = None) -> Connected:
        account = account or self._new_account()
        events = Recorder()
        session = await self.network.connect(account, events)
        state = await events.status(AccountStatus.CONNECTED)
        account = replace(account, remote_jid=state.remote_jid)
        self.opened.append(Connected(self.network, account, session, events))
        return self.opened[-1]

    def _new_account(self) -> Account:
        station = f"desk-{len(self.office.stations)}"
        self.office.add_station(station, "a key")
        settings = {"host": "127.0.0.1", "port": str(self.port), "station": station}
        return Account(uuid4(), "Front desk", settings, {"key": "a key"})

    async def shown(self, at: Connected, person: str) -> Sequence[Content]:
        return [bubble.content for bubble in await self.look(at, person)]

    async def look(self, at: Connected, person: str) -> Sequence[ShownMessage]:
        read = self.office.read(*self._chat(at, person))
        return [ShownMessage(message_id, Text(text)) for message_id, text in read.items()]

    async def say(self, at: Connected, person: str, text: str, group_jid: str = "") -> str:
        return self.office.say(*self._chat(at, person), text)

    async def send_unknown(self, at: Connected, person: str) -> str:
        return self.office.draw(*self._chat(at, person), "a bear")

    async def cut(self, at: Connected) -> None:
        self.office.cut(at.account.settings["station"])

    async def expel(self, at: Connected) -> None:
        self.office.expel(at.account.settings["station"])

    async def has_connection(self, at: Connected) -> bool:
        writer = self.office.stations[at.account.settings["station"]].writer
        return writer is not None and not writer.is_closing()

    def _chat(self, at: Connected, person: str) -> tuple[str, str]:
        """Return the account's station, and the person's address."""
        return at.account.settings["station"], self.network.recipient(person, {})


class TestTelegraphConforms(Conformance):
    @pytest.fixture
    async def harness(self) -> AsyncIterator[Harness]:
        office = Office(unknown=frozenset({Telegraph.nobody}))
        telegraph = Telegraph(office, await office.open())
        yield telegraph
        for at in telegraph.opened:
            await at.session.close()
        office.close()
