"""People: contacts, pictures, numbers, a crowd; what they see of the account besides messages."""

import asyncio

import pytest

from heliograph.networks import port
from heliograph.networks.content import Text
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.suite import Suite, address_of, possible, require


class People(Suite):
    async def test_contacts_are_listed_each_once(self, harness: Harness, one: Connected) -> None:
        if not harness.network.capabilities.contacts:
            pytest.skip("the network has no contacts")
        session = require(one, "contacts", port.Contacts)  # type: ignore[type-abstract]  # a protocol
        contacts: list[port.ContactSeen] = []
        async for page in session.contacts():
            contacts += page

        jids = [contact.remote_jid for contact in contacts]
        assert address_of(one, harness.person) in jids
        assert len(set(jids)) == len(jids)
        assert all(contact.name for contact in contacts)

    async def test_a_picture_is_fetched_whole_small_or_not_again(
        self, harness: Harness, one: Connected
    ) -> None:
        if not harness.network.capabilities.pictures:
            pytest.skip("the network has no pictures")
        session = require(one, "pictures", port.Pictures)  # type: ignore[type-abstract]  # a protocol
        jid = address_of(one, harness.person)

        full = await session.picture(jid, preview=False)
        small = await session.picture(jid, preview=True)

        assert full is not None
        assert small is not None
        assert 0 < len(small.data) <= len(full.data)
        again = await session.picture(jid, preview=False, known_id=full.picture_id)
        assert again is None

    # --- many at once ---

    async def test_a_crowd_on_ten_accounts_keeps_its_own_names(self, harness: Harness) -> None:
        accounts = [await harness.connected() for _ in range(10)]

        async def speak(n: int) -> None:
            await harness.say(accounts[n % 10], harness.stranger(n), f"I am {n}")

        await asyncio.gather(*(speak(n) for n in range(harness.crowd)))
        for index, at in enumerate(accounts):
            for n in range(index, harness.crowd, 10):
                inbound = await at.events.next(port.Inbound, content=Text(f"I am {n}"))
                assert inbound.sender_jid == address_of(at, harness.stranger(n))
            assert len(at.events.all(port.Inbound)) == harness.crowd // 10

    async def test_states_tell_who_the_account_is(self, harness: Harness, one: Connected) -> None:
        first = one.events.all(port.SessionState)[-1]

        assert first.status is port.AccountStatus.CONNECTED
        assert first.remote_jid is not None

    # --- numbers, typing, reading ---

    async def test_numbers_are_checked_in_their_order(
        self, harness: Harness, one: Connected
    ) -> None:
        if not harness.network.capabilities.number_checks:
            pytest.skip("the network checks no numbers")
        session = require(one, "number_checks", port.NumberChecks)  # type: ignore[type-abstract]
        numbers = [harness.nobody, harness.person, harness.other_person]
        if not all(number.isdigit() for number in numbers):
            pytest.skip("the harness names nobody by a number")

        checks = await session.check_numbers(numbers)

        assert [check.phone_number for check in checks] == numbers
        people = [address_of(one, number) for number in numbers[1:]]
        assert [check.remote_jid for check in checks] == [None, *people]

    async def test_a_person_sees_that_the_account_writes(
        self, harness: Harness, one: Connected
    ) -> None:
        if not harness.network.capabilities.typing:
            pytest.skip("the network shows nobody who writes")
        session = require(one, "typing", port.Typing)  # type: ignore[type-abstract]
        person = address_of(one, harness.person)

        for is_typing in (True, False):
            await session.set_typing(person, is_typing)
            async with one.events.waiting(f"typing={is_typing} at the person"):
                while await _sees_typing(harness, one) is not is_typing:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)

    async def test_a_person_sees_what_the_account_has_read(
        self, harness: Harness, one: Connected
    ) -> None:
        if not harness.network.capabilities.read_marks:
            pytest.skip("the network shows nobody what was read")
        session = require(one, "read_marks", port.ReadMarks)  # type: ignore[type-abstract]
        read = await harness.say(one, harness.person, "Have you read this?")
        unread = await harness.say(one, harness.person, "And this?")
        inbound = await one.events.next(port.Inbound, chat_message_id=read)

        await session.mark_read(inbound.chat_jid, [(read, inbound.sender_jid)])

        async with one.events.waiting("the read mark at the person"):
            while not await _sees_read(harness, one, read):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        assert not await _sees_read(harness, one, unread)


async def _sees_typing(harness: Harness, at: Connected) -> bool:
    with possible("see who writes"):
        return await harness.sees_typing(at, harness.person)
    raise AssertionError  # `possible` ends the test


async def _sees_read(harness: Harness, at: Connected, chat_message_id: str) -> bool:
    with possible("see what was read"):
        return await harness.sees_read(at, harness.person, chat_message_id)
    raise AssertionError  # `possible` ends the test
