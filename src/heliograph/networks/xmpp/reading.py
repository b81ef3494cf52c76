"""What messages mean to the gateway: contents, pressed buttons, changes, receipts, bounces."""

from collections.abc import Mapping

from cachetools import LRUCache

from heliograph.networks.choices import LONGEST_ANSWER
from heliograph.networks.content import ButtonReply, Content, Text
from heliograph.networks.port import Inbound, NetworkEvent, Receipt
from heliograph.networks.xmpp.addresses import (
    bare_or_none,
    looks_like_ours,
    phone_number,
    stored_as,
)
from heliograph.networks.xmpp.changes import direct_change, group_change, kind_of_change, stored_id
from heliograph.networks.xmpp.contents import read_content, read_correction, read_file
from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.rooms import Room
from heliograph.networks.xmpp.stanzas import Message, read_buttons, refusal_of

MOST_AUTHORS = 200


class Reader:
    """Reads the messages of one account."""

    def __init__(
        self, own_jid: str, settings: Mapping[str, str], questions: Questions, ids: GroupIds
    ) -> None:
        self._own_jid = own_jid
        self._settings = settings
        self._questions = questions
        self._ids = ids
        self._authors: LRUCache[tuple[str, str], str] = LRUCache(MOST_AUTHORS)
        """Who wrote the newest messages outside groups, by chat and the writer's id."""

    def direct(self, message: Message) -> tuple[NetworkEvent, ...]:
        """Return the events that a message outside groups means; none if it says nothing to us."""
        sender, recipient = bare_or_none(message.sender), bare_or_none(message.recipient)
        sender = sender or self._own_jid
        from_me = sender == self._own_jid
        chat = recipient if from_me else sender
        if chat is None or message.kind in ("headline", "groupchat") or message.is_invitation:
            return ()
        if message.kind == "error":
            return () if from_me else self._bounce(message, chat)
        events: list[NetworkEvent] = []
        if not from_me:
            events += [
                Receipt(chat, message_id, kind, message.at, only_of_chat=True)
                for kind, message_id in message.receipts
            ]
        if (found := kind_of_change(message)) is not None:
            content, (_, named) = read_correction(message), found
            known = self._authors.get((chat, named))
            changed = direct_change(message, chat, sender, self._own_jid, content, known)
            events += [] if changed is None else [changed]
        elif message.body or read_file(message) is not None:
            archive = None if from_me else self._own_jid
            id_ = message.unique_id(archive)
            self._authors[chat, message.own_id] = sender
            events.append(self._inbound(message, chat, sender, id_, from_me=from_me))
        return tuple(events)

    def in_group(
        self, message: Message, room: Room, sender: str, *, from_me: bool
    ) -> tuple[NetworkEvent, ...]:
        """Return the events that a message in a group means.

        `sender` is a person's JID where the group shows it, else the sender's place in the group.
        """
        if message.kind != "groupchat":
            return ()
        if kind_of_change(message) is not None:
            content = read_correction(message)
            changed = group_change(message, room, sender, self._own_jid, content, self._ids)
            return () if changed is None else (changed,)
        if not message.body and read_file(message) is None:
            return ()
        is_ours = from_me and looks_like_ours(message.own_id)
        names = room.gives_ids and not is_ours
        id_ = message.id_in_group(room.jid) if names else message.own_id
        return (self._inbound(message, room.jid, sender, id_, from_me=from_me, room=room),)

    def _inbound(
        self,
        message: Message,
        chat: str,
        sender: str,
        chat_message_id: str,
        *,
        from_me: bool,
        room: Room | None = None,
    ) -> Inbound:
        """Return what a message says. `room` is None outside groups."""
        replies_to = self._replies_to(message, room)
        content, replies_to, may_press = self._content(
            message, chat, chat_message_id, replies_to, from_me
        )
        return Inbound(
            chat_jid=chat,
            sender_jid=sender,
            chat_message_id=stored_as(chat_message_id),
            content=content,
            sent_at=message.at,
            is_group=room is not None,
            from_me=from_me,
            sender_phone_number=phone_number(sender, self._settings),
            sender_name=message.sender.partition("/")[2] or None if room else message.nick,
            group_subject=room.subject if room else None,
            reply_to_chat_message_id=stored_as(replies_to) if replies_to else None,
            may_press=may_press,
        )

    def _replies_to(self, message: Message, room: Room | None) -> str | None:
        """Return the gateway's id of the message that this one answers."""
        named = message.replies_to
        if room is None or named is None:
            return named
        return stored_id(named, self._ids.written(room.jid, named), self._own_jid)

    def _content(
        self,
        message: Message,
        chat: str,
        chat_message_id: str,
        replies_to: str | None,
        from_me: bool,
    ) -> tuple[Content, str | None, bool]:
        """Return what was said, which message it answers, and whether it may be a button of an
        older one.

        A text that chooses a known button is a press (XEP-0439, section 4).
        """
        file = read_file(message)
        content = file.content if file else read_content(message)
        if from_me:
            if buttons := read_buttons(message):
                self._questions.remember(chat, chat_message_id, buttons, message.at)
            else:
                self._questions.record_other_message(chat, message.at)
            return content, replies_to, False
        if not isinstance(content, Text):
            return content, replies_to, False
        answered = self._questions.answered_by(
            chat, message.body, message.at, replies_to, message.thread
        )
        if answered is None:
            return content, replies_to, len(message.body) <= LONGEST_ANSWER
        message_id, button = answered
        return ButtonReply(button), message_id, False

    def _bounce(self, message: Message, chat: str) -> tuple[NetworkEvent, ...]:
        if not message.stanza_id:
            return ()
        reason = refusal_of(message.xml).sentence
        failed = Receipt(chat, message.stanza_id, "failed", message.at, reason, only_of_chat=True)
        return (failed,)
