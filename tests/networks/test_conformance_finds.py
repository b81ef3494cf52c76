"""The conformance suite finds what drivers do wrong, and says what it is."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from heliograph.networks.content import Text
from heliograph.networks.errors import NetworkError, ReplacedError
from heliograph.networks.port import (
    Account,
    Capabilities,
    Events,
    Inbound,
    NetworkEvent,
    Outgoing,
    Receipt,
    Sent,
    Session,
)
from heliograph.networks.registry import GROUP
from heliograph.networks.testing import Conformance, Recorder, claims, connecting
from heliograph.networks.testing.harness import check_harness
from office import Office
from telegraph import TelegraphNetwork, TelegraphSession
from test_telegraph import Telegraph

SUITE = Conformance()


class Driver(TelegraphNetwork):
    """The example's driver, whose sessions a test makes wrong."""

    session: ClassVar[type[TelegraphSession]]

    async def connect(self, account: Account, events: Events) -> Session:
        return self.session(account, events, first_delay=0.01)


@pytest.fixture
async def harness(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Telegraph]:
    monkeypatch.setattr(connecting, "SETTLING_TIMEOUT", 1.0)
    office = Office()
    telegraph = Telegraph(office, await office.open())
    telegraph.network = Driver(first_delay=0.01)
    yield telegraph
    for at in telegraph.opened:
        assert isinstance(at.session, TelegraphSession)
        await at.session.close()
        TelegraphSession.hang_up(at.session)  # its own may be wrong
    office.close()


class Cuts(TelegraphSession):
    async def send(self, message: Outgoing) -> Sent:
        return await super().send(replace(message, content=Text(message.content.summary[:1000])))


class Strips(TelegraphSession):
    async def arrived(self, event: NetworkEvent, number: int = 0) -> None:
        if isinstance(event, Inbound):
            event = replace(event, content=Text(event.content.summary.strip()))
        await super().arrived(event, number)


class HasOldTimes(TelegraphSession):
    async def arrived(self, event: NetworkEvent, number: int = 0) -> None:
        if isinstance(event, Receipt):
            event = replace(event, at=event.at - timedelta(days=300))
        await super().arrived(event, number)


class MistakesTheChat(TelegraphSession):
    async def arrived(self, event: NetworkEvent, number: int = 0) -> None:
        if isinstance(event, Receipt):
            event = replace(event, chat_jid="1@telegraph")
        await super().arrived(event, number)


class AcknowledgesTooFew(TelegraphSession):
    def acknowledge(self, number: int) -> None:
        super().acknowledge(number - 1)


class TakesPeopleForGroups(TelegraphSession):
    async def send(self, message: Outgoing) -> Sent:
        return replace(await super().send(message), is_group=True)


class Fights(TelegraphSession):
    async def read(self) -> None:
        try:
            await super().read()
        except ReplacedError as error:
            raise NetworkError(error.reason) from None


class StaysConnected(TelegraphSession):
    def hang_up(self) -> None:
        """Forget to."""


class AcknowledgesTooEarly(TelegraphSession):
    async def arrived(self, event: NetworkEvent, number: int = 0) -> None:
        self.acknowledge(number)
        await super().arrived(event)


@pytest.mark.parametrize(
    ("session", "check", "found"),
    [
        (Cuts, SUITE.test_a_long_text_goes_out_unchanged, "two  spaces"),
        (Strips, SUITE.test_a_long_text_comes_in_unchanged, "two  spaces"),
        (HasOldTimes, SUITE.test_times_are_of_now, "Receipt.at is wrong"),
        (MistakesTheChat, SUITE.test_delivered_comes_before_read, "is not of the chat"),
        (
            AcknowledgesTooFew,
            SUITE.test_what_came_while_nobody_was_connected_arrives_once,
            "came again",
        ),
        (TakesPeopleForGroups, SUITE.test_a_persons_chat_is_no_group, "taken for a group"),
        (Fights, SUITE.test_a_replaced_session_does_not_fight, "comes back again and again"),
        (StaysConnected, SUITE.test_a_closed_session_leaves_no_connection, "end of the connection"),
        (
            AcknowledgesTooEarly,
            SUITE.test_a_receipt_that_was_not_taken_comes_again,
            r"waited 2 s for Receipt\(.*kind='delivered'\); reported: SessionState",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_a_session_is_found_that(
    harness: Telegraph,
    monkeypatch: pytest.MonkeyPatch,
    session: type[TelegraphSession],
    check: Callable[..., Any],
    found: str,
) -> None:
    monkeypatch.setattr(Driver, "session", TelegraphSession, raising=False)
    await check(harness, await harness.connected())  # what is right passes
    monkeypatch.setattr(Driver, "session", session)
    monkeypatch.setattr(Recorder, "timeout", 2.0)  # what it waits for does not come

    with pytest.raises((AssertionError, TimeoutError), match=found):
        await check(harness, await harness.connected())


async def test_a_claim_without_what_belongs_to_it_is_named(
    harness: Telegraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Driver, "session", TelegraphSession, raising=False)
    one = await harness.connected()
    for claim in (
        Capabilities(frozenset(), create_group=True),
        Capabilities(frozenset(), contacts=True),
    ):
        monkeypatch.setattr(Driver, "capabilities", claim)
        with pytest.raises(
            AssertionError, match=r"claims \w+, but its session is no (Groups|Contacts)"
        ):
            await SUITE.test_what_it_claims_is_there(harness, one)


def test_a_network_without_a_name_is_found(
    harness: Telegraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(TelegraphNetwork, "name")

    with pytest.raises(AssertionError, match="lacks name"):
        SUITE.test_it_says_what_it_is(harness)


def test_a_network_installed_under_another_name_is_found(
    harness: Telegraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = EntryPoint("pigeon", "telegraph:TelegraphNetwork", GROUP)
    monkeypatch.setattr(claims, "installed_drivers", lambda: {"pigeon": entry})

    with pytest.raises(AssertionError, match="entry point has another name"):
        SUITE.test_it_is_installed_under_its_name(harness)


@pytest.mark.parametrize(
    ("change", "found"),
    [({"person": ""}, "lacks person"), ({"other_person": Telegraph.person}, "three addresses")],
)
def test_a_harness_that_lacks_somebody_is_told_so(
    harness: Telegraph, change: dict[str, str], found: str
) -> None:
    for name, value in change.items():
        setattr(harness, name, value)

    with pytest.raises(pytest.fail.Exception, match=found):
        check_harness(harness)
