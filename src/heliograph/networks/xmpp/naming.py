"""Names in messages: the addresses of mentioned people, and the ids by which others know
messages."""

from collections.abc import Mapping
from contextlib import suppress

from msgspec.structs import replace

from heliograph.networks.content import Content, Text
from heliograph.networks.errors import InvalidAddressError, NetworkError
from heliograph.networks.port import OutgoingChange, Quoted
from heliograph.networks.xmpp.addresses import address, looks_like_ours
from heliograph.networks.xmpp.group_ids import GroupIds, Written
from heliograph.networks.xmpp.payloads import AnsweredMessage
from heliograph.networks.xmpp.rooms import Room


def with_addresses(content: Content, settings: Mapping[str, str]) -> Content:
    """Return a text with addresses in place of the phone numbers that it mentions."""
    if not isinstance(content, Text) or not content.mentions:
        return content
    found = []
    for mention in content.mentions:
        with suppress(InvalidAddressError):
            found.append(address(mention, settings))
    return replace(content, mentions=tuple(found))


class MessageNames:
    """Finds the ids by which other programs know the messages that the gateway refers to."""

    def __init__(self, own_jid: str, ids: GroupIds) -> None:
        self._own_jid = own_jid
        self._ids = ids

    async def quoted(self, quoted: Quoted | None, room: Room | None) -> AnsweredMessage | None:
        """Return the reference to a quoted message. `room` is None outside groups."""
        if quoted is None:
            return None
        author = quoted.sender_jid or self._own_jid
        text = quoted.content.summary
        if room is None:
            return AnsweredMessage(quoted.chat_message_id, author, text)
        id_ = await self._given(quoted.chat_message_id, room)
        return AnsweredMessage(id_, room.place_of(author), text)

    async def changed(self, change: OutgoingChange, room: Room | None) -> str:
        """Return the id by which a change names its message. Raises `NetworkError`."""
        if room is None or not room.gives_ids:
            return change.chat_message_id
        if change.kind == "edited":
            id_ = await self._own(change.chat_message_id, room)
        else:
            id_ = await self._given(change.chat_message_id, room)
        if id_ is None:
            raise NetworkError(
                "The group's archive does not have the message any more.", permanent=True
            )
        return id_

    async def _given(self, chat_message_id: str, room: Room) -> str | None:
        """Return the group's id of a message."""
        if not (room.gives_ids and looks_like_ours(chat_message_id)):
            return chat_message_id
        return await self._ids.find_given(room.jid, Written(self._own_jid, chat_message_id))

    async def _own(self, chat_message_id: str, room: Room) -> str | None:
        """Return the id that the account gave a message: corrections name it so."""
        if looks_like_ours(chat_message_id):
            return chat_message_id
        written = await self._ids.find_written(room.jid, chat_message_id)
        return written.own_id if written else None
