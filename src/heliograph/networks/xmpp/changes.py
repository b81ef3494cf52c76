"""Inbound changes of messages: corrections, retractions and reactions, and who may make them.

Only the author of a message may correct or retract it. The gateway's own messages are recognized by
their ids.
"""

from typing import NamedTuple

from msgspec.structs import replace

from heliograph.networks.content import Content
from heliograph.networks.port import Changed, ChangeKind
from heliograph.networks.xmpp.addresses import looks_like_ours, stored_as
from heliograph.networks.xmpp.group_ids import GroupIds, Written
from heliograph.networks.xmpp.rooms import Room
from heliograph.networks.xmpp.stanzas import Message


class Known(NamedTuple):
    """What is remembered of a message outside groups, or of a change of one.

    `stored` is the gateway's id of it, `about` that of the message which it is or which it changes,
    `answers` that of the question from which that message has chosen.
    """

    sender: str
    stored: str
    about: str
    answers: str | None = None


def kind_of_change(message: Message) -> tuple[ChangeKind, str] | None:
    """Return the kind of change, and the id of the changed message; None if it is not a change."""
    if message.reacts_to:
        return "reaction", message.reacts_to
    if message.retracts:
        return "deleted", message.retracts
    if message.replaces and message.body:
        return "edited", message.replaces
    return None


def direct_change(
    message: Message, chat: str, sender: str, own_jid: str, content: Content, known: Known | None
) -> Changed | None:
    """Return the change that a message outside groups makes. `content` is what it says, `known`
    what it names, if that is remembered: some programs name a correction to correct it again."""
    found = kind_of_change(message)
    if found is None or _is_the_gateways(message, sender, own_jid):
        return None
    kind, named = found
    from_me = sender == own_jid
    author = sender
    if kind == "reaction":
        # of two people, each mostly reacts to the other's messages
        author = known.sender if known else (chat if from_me else own_jid)
        author = own_jid if looks_like_ours(named) else author
    elif looks_like_ours(named) and not from_me:
        return None
    change_id = message.unique_id(None if from_me else own_jid)
    about = known.about if known and known.sender == author else named
    made = _changed(message, kind, chat, sender, change_id, about, author, content)
    return replace(made, from_own_account=from_me)


def group_change(
    message: Message, room: Room, sender: str, own_jid: str, content: Content, ids: GroupIds
) -> Changed | None:
    """Return the change that a message in a group makes, or None if the changed message is
    unknown."""
    found = kind_of_change(message)
    if found is None or _is_the_gateways(message, sender, own_jid):
        return None
    kind, named = found
    if kind == "edited":
        author, stored = sender, _stored_of_own_id(room, sender, named, own_jid, ids)
    else:
        written = ids.written(room.jid, named)
        author = written.sender_jid if written else sender
        if kind == "deleted" and author != sender:
            return None
        if kind == "reaction" and written is None:
            return None
        stored = stored_id(named, written, own_jid)
        if kind == "deleted" and written is None:
            stored = _stored_of_own_id(room, sender, named, own_jid, ids)
    if looks_like_ours(stored) and author != own_jid:
        return None
    change_id = message.id_in_group(room.jid) if room.gives_ids else message.unique_id(None)
    made = _changed(message, kind, room.jid, sender, change_id, stored, author, content)
    return replace(made, from_own_account=sender == own_jid)


def _is_the_gateways(message: Message, sender: str, own_jid: str) -> bool:
    """Return whether the gateway has made this change itself: archives return those, too."""
    return sender == own_jid and looks_like_ours(message.own_id)


def stored_id(given: str, written: Written | None, own_jid: str) -> str:
    """Return the id under which the gateway knows a message that a group calls `given`."""
    is_ours = written is not None and written.sender_jid == own_jid
    return written.own_id if written and is_ours and looks_like_ours(written.own_id) else given


def _stored_of_own_id(room: Room, sender: str, named: str, own_jid: str, ids: GroupIds) -> str:
    if sender == own_jid and looks_like_ours(named):
        return named
    return ids.given(room.jid, Written(sender, named)) or named


def _changed(
    message: Message,
    kind: ChangeKind,
    chat: str,
    sender: str,
    change_id: str,
    stored: str,
    author: str,
    content: Content,
) -> Changed:
    return Changed(
        kind=kind,
        chat_jid=chat,
        sender_jid=sender,
        change_id=stored_as(change_id),
        chat_message_id=stored_as(stored),
        message_sender_jid=author,
        at=message.at,
        content=content if kind == "edited" else None,
        emoji=message.reaction if kind == "reaction" else None,
    )
