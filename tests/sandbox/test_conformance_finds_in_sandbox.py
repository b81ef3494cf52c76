"""The conformance suite finds what drivers do wrong with files, answers, changes and people."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import uuid4

import pytest
from msgspec.structs import replace

from heliograph.networks.content import Media, Text
from heliograph.networks.errors import FileUnavailableError, NetworkError
from heliograph.networks.port import (
    Account,
    Changed,
    Events,
    NetworkEvent,
    NumberCheck,
    Outgoing,
    OutgoingChange,
    OutgoingFile,
    Sent,
)
from heliograph.networks.sandbox import driver
from heliograph.networks.sandbox.session import SandboxSession
from heliograph.networks.sandbox.simulator import Arrivals, SandboxSimulator
from heliograph.networks.testing import Conformance, MemoryFile, Recorder
from sandbox_world import Sandbox

pytest_plugins = ("sandbox_fixtures",)

SUITE = Conformance()


class CutsFiles(SandboxSession):
    async def send(self, message: Outgoing) -> Sent:
        if message.file is not None:
            data = b"".join([piece async for piece in message.file.chunks()])
            message = replace(message, file=MemoryFile(data[:300_000]))
        return await super().send(message)


class SendsWithoutFile(SandboxSession):
    async def _store(self, chat_message_id: str, file: OutgoingFile) -> int:
        try:
            return await super()._store(chat_message_id, file)
        except FileUnavailableError:
            return 0


class DropsCaptions(SandboxSession):
    async def send(self, message: Outgoing) -> Sent:
        if isinstance(message.content, Media):
            message = replace(message, content=replace(message.content, caption=""))
        return await super().send(message)


class ForgetsQuotes(SandboxSession):
    async def send(self, message: Outgoing) -> Sent:
        return await super().send(replace(message, reply_to=None))


class ChangesTwice(SandboxSession):
    async def change(self, change: OutgoingChange) -> datetime:
        if change.kind == "edited" and change.content is not None:
            said = (await self._shown(change)) + "!"
            change = replace(change, content=Text(said), change_id=uuid4().hex)
        return await super().change(change)

    async def _shown(self, change: OutgoingChange) -> str:
        phone = SandboxSimulator(Arrivals(self._context), self._account_id)
        return (await phone.receive(change.chat_jid))[-1].content.summary


class ForgetsCaptions(SandboxSession):
    async def change(self, change: OutgoingChange) -> datetime:
        if isinstance(change.content, Media):
            change = replace(change, content=replace(change.content, caption=""))
        return await super().change(change)


class _TakenForOurOwn:
    """Events on their way to the gateway, in which people's changes are the account's."""

    def __init__(self, events: Events) -> None:
        self._events = events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._events, name)

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        await self._events.publish(
            [
                replace(event, from_own_account=True) if isinstance(event, Changed) else event
                for event in events
            ]
        )


class TakesChangesForItsOwn(SandboxSession):
    def __init__(self, account: Account, events: Events, *others: Any) -> None:
        super().__init__(account, cast("Events", _TakenForOurOwn(events)), *others)


class ChecksInItsOwnOrder(SandboxSession):
    async def check_numbers(self, phone_numbers: Sequence[str]) -> Sequence[NumberCheck]:
        return list(reversed(await super().check_numbers(phone_numbers)))


class MarksEverythingRead(SandboxSession):
    async def mark_read(self, chat_jid: str, messages: Sequence[tuple[str, str]]) -> None:
        phone = SandboxSimulator(Arrivals(self._context), self._account_id)
        mine = [each for each in await phone.receive(chat_jid) if each.mine]
        await super().mark_read(
            chat_jid, [(each.chat_message_id, each.sender_jid) for each in mine]
        )


class AllowsEverything(SandboxSession):
    async def change_group(
        self, remote_jid: str, *, subject: str | None = None, description: str | None = None
    ) -> None:
        try:
            await super().change_group(remote_jid, subject=subject, description=description)
        except NetworkError:
            return


@pytest.mark.parametrize(
    ("session", "check", "given"),
    [
        (CutsFiles, SUITE.test_a_file_arrives_byte_by_byte, (1 << 20,)),
        (SendsWithoutFile, SUITE.test_of_a_file_that_is_not_available_nothing_is_sent, (0,)),
        (DropsCaptions, SUITE.test_every_kind_that_is_claimed_arrives_whole, ("image",)),
        (ForgetsQuotes, SUITE.test_an_answer_quotes_what_a_person_wrote, ()),
        (ChangesTwice, SUITE.test_the_same_change_twice_is_one, ("edited",)),
        (ForgetsCaptions, SUITE.test_another_caption_leaves_the_file, ()),
        (TakesChangesForItsOwn, SUITE.test_a_persons_deletion_comes_in, ()),
        (ChecksInItsOwnOrder, SUITE.test_numbers_are_checked_in_their_order, ()),
        (MarksEverythingRead, SUITE.test_a_person_sees_what_the_account_has_read, ()),
        (AllowsEverything, SUITE.test_a_group_of_somebody_else_is_theirs_to_change, ()),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_a_session_is_found_that(
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    session: type[SandboxSession],
    check: Callable[..., Any],
    given: tuple[object, ...],
) -> None:
    await check(sandbox, await sandbox.connected(), *given)  # what is right passes
    monkeypatch.setattr(driver, "SandboxSession", session)
    monkeypatch.setattr(Recorder, "timeout", 2.0)  # what it waits for does not come

    with pytest.raises((AssertionError, TimeoutError, pytest.fail.Exception)):
        await check(sandbox, await sandbox.connected(), *given)


async def test_what_a_harness_can_not_show_of_what_is_claimed_fails_and_says_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(Sandbox, "look", look)
    with pytest.raises(pytest.fail.Exception, match="the harness can't look at a phone closely"):
        await SUITE.test_every_kind_that_is_claimed_arrives_whole(
            sandbox, await sandbox.connected(), "poll"
        )


async def test_what_neither_network_nor_harness_has_is_skipped(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def react(*_: object) -> None:
        raise NotImplementedError

    nothing = replace(sandbox.network.capabilities, changes=frozenset())
    monkeypatch.setattr(driver.SandboxNetwork, "capabilities", nothing)
    monkeypatch.setattr(Sandbox, "react", react)
    with pytest.raises(pytest.skip.Exception, match="the network does not claim it"):
        await SUITE.test_a_persons_reaction_comes_in_and_its_withdrawal(
            sandbox, await sandbox.connected()
        )
