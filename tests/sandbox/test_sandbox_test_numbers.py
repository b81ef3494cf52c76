"""Every magic number of the sandbox does what its table says."""

import asyncio
import time

import pytest

from each_case import for_each
from heliograph.networks.content import Text
from heliograph.networks.errors import (
    BannedError,
    NetworkError,
    PictureNotFoundError,
    RecipientNotFoundError,
)
from heliograph.networks.phone_actions import Online
from heliograph.networks.port import AccountStatus, Groups, Outgoing, Pictures, Receipt
from heliograph.networks.sandbox.addresses import address, phone_number
from heliograph.networks.sandbox.test_numbers import NUMBERS, Misbehavior
from heliograph.networks.testing import Connected
from repository import DOCS
from sandbox_world import Sandbox

pytest_plugins = ("sandbox_fixtures",)

GUIDE = (DOCS / "networks" / "sandbox.md").read_text()


def jid_of(magic: Misbehavior) -> str:
    return next(address(digits) for digits, found in NUMBERS.items() if found is magic)


def message_to(at: Connected, magic: Misbehavior) -> Outgoing:
    return at.outgoing(jid_of(magic), Text("Hello?"))


@for_each("digits", NUMBERS)
def test_the_guide_shows_every_number(digits: str) -> None:
    [line] = [line for line in GUIDE.splitlines() if f"+1 555 010 {digits[-4:]} |" in line]
    assert NUMBERS[digits] in line


async def test_slow_takes_its_time_and_then_accepts(one: Connected) -> None:
    began = time.monotonic()
    await one.session.send(message_to(one, Misbehavior.SLOW))

    assert time.monotonic() - began >= 0.2


async def test_slow_holds_up_nobody_else(sandbox: Sandbox) -> None:
    one = await sandbox.connected(on=await sandbox.another_process(slowness=3600))
    slow = asyncio.create_task(one.session.send(message_to(one, Misbehavior.SLOW)))
    await one.send(sandbox.person, "quick")

    assert not slow.done()
    slow.cancel()


@pytest.mark.parametrize(
    ("magic", "refusals", "wait"), [(Misbehavior.FLAKY, 2, None), (Misbehavior.THROTTLED, 1, 2.0)]
)
async def test_some_accept_a_later_try(
    sandbox: Sandbox, one: Connected, magic: Misbehavior, refusals: int, wait: float | None
) -> None:
    message = message_to(one, magic)

    for _ in range(refusals):
        with pytest.raises(NetworkError) as refused:
            await one.session.send(message)
        assert (refused.value.permanent, refused.value.certain) == (False, True)
        assert refused.value.retry_after == wait
    await one.session.send(message)

    assert await sandbox.shown(one, jid_of(magic)) == [Text("Hello?")]


async def test_uncertain_has_taken_what_it_did_not_answer(sandbox: Sandbox, one: Connected) -> None:
    message = message_to(one, Misbehavior.UNCERTAIN)

    with pytest.raises(NetworkError) as lost:
        await one.session.send(message)
    assert not lost.value.certain
    assert not lost.value.permanent
    await one.session.send(message)

    assert await sandbox.shown(one, jid_of(Misbehavior.UNCERTAIN)) == [Text("Hello?")]
    await one.events.receipt(message.chat_message_id, "read")
    assert len(one.events.all(Receipt)) == 2


async def test_undelivered_never_gets_it(sandbox: Sandbox, one: Connected) -> None:
    await one.session.send(message_to(one, Misbehavior.UNDELIVERED))
    await passed(sandbox, one)

    assert await sandbox.shown(one, jid_of(Misbehavior.UNDELIVERED)) == []
    assert len(one.events.all(Receipt)) == 2  # those of the message that passed


async def test_unread_never_says_that_it_has_read(sandbox: Sandbox, one: Connected) -> None:
    message = message_to(one, Misbehavior.UNREAD)
    await one.session.send(message)
    await one.events.receipt(message.chat_message_id, "delivered")

    assert await sandbox.shown(one, jid_of(Misbehavior.UNREAD)) == [Text("Hello?")]
    await passed(sandbox, one)
    assert "read" not in kinds(one, message)


async def test_bans_ends_the_account(sandbox: Sandbox, one: Connected) -> None:
    with pytest.raises(BannedError):
        await one.session.send(message_to(one, Misbehavior.BANS))

    state = await one.events.status(AccountStatus.LOGGED_OUT)
    assert "banned" in (state.reason or "")
    with pytest.raises(BannedError):
        await one.send(sandbox.person, "still here?")
    with pytest.raises(BannedError):
        await one.session.ping()


async def test_offline_gets_it_when_it_is_switched_on(sandbox: Sandbox, one: Connected) -> None:
    message = message_to(one, Misbehavior.OFFLINE)
    await one.session.send(message)
    await passed(sandbox, one)
    assert kinds(one, message) == []
    assert await sandbox.shown(one, jid_of(Misbehavior.OFFLINE)) == []

    await sandbox.simulator(one).act(Online(jid_of(Misbehavior.OFFLINE)))

    await one.events.receipt(message.chat_message_id, "read")
    assert kinds(one, message) == ["delivered", "read"]


async def test_no_groups_can_not_be_added_to_one(sandbox: Sandbox, one: Connected) -> None:
    assert isinstance(one.session, Groups)

    with pytest.raises(NetworkError, match="does not let") as refused:
        await one.session.create_group("Surprise", [jid_of(Misbehavior.NO_GROUPS)])
    assert refused.value.permanent
    with pytest.raises(RecipientNotFoundError):
        await one.session.create_group("Surprise", [jid_of(Misbehavior.GONE)])


@pytest.mark.parametrize("magic", [Misbehavior.HIDDEN_PICTURE, Misbehavior.NO_PICTURE])
async def test_some_have_no_picture_to_show(one: Connected, magic: Misbehavior) -> None:
    assert isinstance(one.session, Pictures)

    with pytest.raises(PictureNotFoundError):
        await one.session.picture(jid_of(magic), preview=False)


async def test_a_harmful_picture_is_handed_on_as_it_is(one: Connected) -> None:
    assert isinstance(one.session, Pictures)

    picture = await one.session.picture(jid_of(Misbehavior.HARMFUL_PICTURE), preview=False)

    assert picture is not None
    assert picture.data.startswith(b"<svg")


async def test_blocked_refuses_for_good(one: Connected) -> None:
    with pytest.raises(NetworkError, match=r"has blocked this account") as refused:
        await one.session.send(message_to(one, Misbehavior.BLOCKED))
    assert refused.value.permanent


async def test_fails_later_accepts_and_then_reports_it(sandbox: Sandbox, one: Connected) -> None:
    message = message_to(one, Misbehavior.FAILS_LATER)
    await one.session.send(message)

    failed = await one.events.receipt(message.chat_message_id, "failed")
    assert failed.reason
    assert kinds(one, message) == ["failed"]
    assert await sandbox.shown(one, jid_of(Misbehavior.FAILS_LATER)) == []


async def test_people_carry_notes_that_say_what_they_do(sandbox: Sandbox, one: Connected) -> None:
    people = await sandbox.simulator(one).people()

    notes = {person.remote_jid: person.note for person in people if person.note}
    assert notes == {jid_of(magic): str(magic) for magic in Misbehavior}
    assert {phone_number(jid) for jid in notes} == {f"+{digits}" for digits in NUMBERS}


async def test_of_many_people_as_many_are_listed_as_somebody_asks_for(
    sandbox: Sandbox, one: Connected
) -> None:
    for number in range(5):
        await sandbox.simulator(one).find_person(f"+1000000000{number}")
    people = await sandbox.simulator(one).people(most=3)
    assert [person.phone_number for person in people] == [
        f"+1000000000{number}" for number in range(3)
    ]
    everybody = await sandbox.simulator(one).people()
    assert len(everybody) >= 5 + len(NUMBERS)
    jids = [everybody[4].remote_jid, "12025550000@sandbox"]
    assert await sandbox.simulator(one).find_names(jids) == {jids[0]: everybody[4].name}


async def passed(sandbox: Sandbox, at: Connected) -> None:
    """Wait until a message sent after the others has been read: theirs would have come before."""
    message, _ = await at.send(sandbox.person, "after it")
    await at.events.receipt(message.chat_message_id, "read")


def kinds(at: Connected, message: Outgoing) -> list[str]:
    return [
        receipt.kind
        for receipt in at.events.all(Receipt)
        if receipt.chat_message_id == message.chat_message_id
    ]
