"""What a driver's author tells the suite: how to reach the network, and the people there."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import pytest
from msgspec.structs import replace

from heliograph.networks import phone_actions as actions
from heliograph.networks import port
from heliograph.networks.content import Content, Text
from heliograph.networks.testing.recorder import Recorder


@dataclass
class Connected:
    """An account with an open session, and what the session has reported."""

    network: port.Network
    account: port.Account
    session: port.Session
    events: Recorder

    def outgoing(
        self,
        to: str,
        content: Content,
        attempt: int = 0,
        *,
        file: port.OutgoingFile | None = None,
        reply_to: port.Quoted | None = None,
    ) -> port.Outgoing:
        """Make a new message to this phone number or JID."""
        ours = uuid4()
        chat_id = self.network.message_id(ours)
        address = self.network.recipient(to, self.account.settings)
        return port.Outgoing(ours, chat_id, address, content, attempt, file, reply_to)

    def again(
        self, message: port.Outgoing, *, file: port.OutgoingFile | None = None
    ) -> port.Outgoing:
        """Return the message for another attempt, perhaps with its file from elsewhere."""
        return replace(message, attempt=message.attempt + 1, file=file or message.file)

    async def send(
        self,
        to: str,
        content: Content | str,
        *,
        file: port.OutgoingFile | None = None,
        reply_to: port.Quoted | None = None,
    ) -> tuple[port.Outgoing, port.Sent]:
        """Send a new message; returns it with the session's answer."""
        content = Text(content) if isinstance(content, str) else content
        message = self.outgoing(to, content, file=file, reply_to=reply_to)
        return message, await self.session.send(message)


@dataclass(frozen=True)
class ShownMessage:
    """A message of the account as a person's phone shows it now. `reply_to` is the id of the
    message that it quotes, `reactions` everybody's emoji."""

    chat_message_id: str
    content: Content
    file: bytes | None = None
    reply_to: str | None = None
    is_edited: bool = False
    is_deleted: bool = False
    reactions: tuple[str, ...] = ()


class Harness(ABC):
    """One network, and the people at its other end.

    Everybody is named by a phone number (digits) or a JID, as a client of the API would.

    What is not abstract may be left out where the network does not claim it: tests that need it are
    skipped. Implement everything that your network claims in its `Capabilities`: tests of a claim
    fail without it. What people do is done by the network's simulator, if it has one.
    """

    network: port.Network
    """Started, and with a short `first_delay`: the tests wait for it to reconnect."""
    person: str
    other_person: str
    nobody: str
    """A well-formed address that nobody has."""
    crowd: int = 1000
    """How many strangers write at the same time."""
    password_lasts: bool = False
    """Whether an account that was logged out can log in again with the values of its form. Then
    only the gateway keeps it out until it is paired anew."""
    groups_tell_creation: bool = True
    """Whether other people's groups report when they were created."""
    groups_tell_closing: bool = True
    """Whether the network tells a closed group, or a revoked link, from one that never existed."""
    tells_voice: bool = True
    """Whether the network tells voice messages from other audio."""
    keeps_cards: bool = True
    """Whether a contact's vCard arrives as it was sent; otherwise its contents arrive in the
    network's own form."""
    groups_refuse_nobody: bool = True
    """Whether the network reports that a person does not exist when they are added to a group."""

    def stranger(self, n: int) -> str:
        """Return the address of number `n` of the crowd."""
        return f"49301{n:06d}"

    @abstractmethod
    async def connected(self, account: port.Account | None = None) -> Connected:
        """Open a session and wait until it is `connected`; of a new account unless one is given.

        The account returned has the `remote_jid`, the `secrets` and the `cursors` that the session
        has reported, as the gateway would keep them.
        """

    @abstractmethod
    async def shown(self, at: Connected, person: str) -> Sequence[Content]:
        """Read the person's chat with the account: what has arrived there, oldest first."""

    @abstractmethod
    async def say(self, at: Connected, person: str, text: str, group_jid: str = "") -> str:
        """Let the person write to the account, or into a group that both are in; returns the
        network's id of the message."""

    @abstractmethod
    async def cut(self, at: Connected) -> None:
        """Drop the account's connection, from the network's side."""

    @abstractmethod
    async def expel(self, at: Connected) -> None:
        """Log the account out, from the network's side."""

    async def has_connection(self, at: Connected) -> bool | None:
        """Return whether the network sees a connection of the account; None if it can't tell."""
        return None

    # --- what the person's phone shows ---

    async def look(self, at: Connected, person: str) -> Sequence[ShownMessage]:
        """Read the person's chat with the account, closely: the account's messages as they are
        now, oldest first."""
        raise NotImplementedError

    async def reactions(self, at: Connected, person: str, chat_message_id: str) -> Sequence[str]:
        """Return the emoji at a message, the person's own or one of the account's."""
        raise NotImplementedError

    async def sees_typing(self, at: Connected, person: str) -> bool:
        """Return whether the phone shows that the account is typing."""
        return await self.simulator(at).is_typing(person)

    async def sees_read(self, at: Connected, person: str, chat_message_id: str) -> bool:
        """Return whether the phone shows that the account has read the person's message."""
        raise NotImplementedError

    # --- what people do besides writing ---

    def simulator(self, at: Connected) -> port.Simulator:
        """Return the network's simulator. Raises `NotImplementedError` where it has none."""
        found = self.network.simulator(at.account.id)
        if found is None:
            raise NotImplementedError
        return found

    async def send(
        self,
        at: Connected,
        person: str,
        content: Content,
        *,
        file: bytes | None = None,
        reply_to: str | None = None,
    ) -> str:
        """Send the account anything; returns the network's id of the message. Raise
        `NotImplementedError` for kinds that nobody sends there."""
        sending = actions.Send(person, content, file=file, message=reply_to)
        return (await self.simulator(at).act(sending)).chat_message_id

    async def send_unknown(self, at: Connected, person: str) -> str:
        """Send the account something of a kind that no driver has heard of, as a later version of
        the network might; returns the network's id of the message. For networks with more than
        texts."""
        raise NotImplementedError

    async def choose(self, at: Connected, person: str, row_id: str) -> None:
        """Choose a row of the newest list."""
        await self.simulator(at).act(actions.Choose(person, row_id))

    async def vote(self, at: Connected, person: str, options: Sequence[str]) -> None:
        """Vote in the newest poll for all of these options, and no other."""
        await self.simulator(at).act(actions.Vote(person, tuple(options)))

    async def edit(self, at: Connected, person: str, chat_message_id: str, text: str) -> None:
        """Edit a message that the person sent."""
        await self.simulator(at).act(actions.Edit(person, text, message=chat_message_id))

    async def delete(self, at: Connected, person: str, chat_message_id: str) -> None:
        """Delete a message that the person sent."""
        await self.simulator(at).act(actions.Delete(person, message=chat_message_id))

    async def react(self, at: Connected, person: str, chat_message_id: str, emoji: str) -> None:
        """React to a message; without an emoji, withdraw the reaction."""
        await self.simulator(at).act(actions.React(person, emoji, message=chat_message_id))

    async def restrict(self, at: Connected, seconds: float) -> bool:
        """Let the network keep the account from beginning chats for so long; 0 lifts the
        restriction. Return False if the network can't be made to do so."""
        return False

    async def press(self, at: Connected, person: str, button_id: str) -> None:
        """Press a button of the newest message; for networks with buttons."""
        await self.simulator(at).act(actions.Press(person, button_id))

    # --- groups, where `Capabilities.create_group` ---

    async def invite(self, at: Connected, subject: str, *, approval: bool = False) -> str:
        """Make a link into a group that `person` owns and the account is not in."""
        invite = actions.Invite(subject, owner=self.person, approval=approval)
        return await self.simulator(at).act(invite)

    async def revoke(self, invite_link: str) -> None:
        """Make the link invalid."""
        raise NotImplementedError

    def unknown_invite(self) -> str:
        """Return a link of the right form that leads nowhere."""
        raise NotImplementedError


def check_harness(harness: Harness) -> None:
    """Fail with a sentence if the harness lacks what every test needs."""
    named = ("network", "person", "other_person", "nobody")
    if missing := [name for name in named if not getattr(harness, name, None)]:
        pytest.fail(f"The harness lacks {', '.join(missing)}.")
    people = (harness.person, harness.other_person, harness.nobody)
    if len(set(people)) < len(people):
        pytest.fail("The harness's person, other_person and nobody must be three addresses.")
