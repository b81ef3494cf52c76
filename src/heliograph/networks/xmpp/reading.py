"""Converts messages to the gateway's events: contents, pressed buttons, changes, receipts,
bounces."""

from collections.abc import Mapping

from cachetools import LRUCache
from msgspec.structs import replace

from heliograph.networks.choices import MAX_ANSWER_LENGTH
from heliograph.networks.content import ButtonReply, Content, System, Text
from heliograph.networks.port import Changed, Inbound, NetworkEvent, ReadElsewhere, Receipt
from heliograph.networks.xmpp.addresses import (
    bare_or_none,
    looks_like_ours,
    phone_number,
    stored_as,
)
from heliograph.networks.xmpp.changes import (
    Known,
    direct_change,
    group_change,
    kind_of_change,
    stored_id,
)
from heliograph.networks.xmpp.contents import content_of, read_correction
from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.rooms import Room
from heliograph.networks.xmpp.stanzas import (
    CLIENT,
    Message,
    read_buttons,
    refusal_of,
)

MAX_REMEMBERED = 400


class Reader:
    """Reads the messages of one account."""

    def __init__(
        self, own_jid: str, settings: Mapping[str, str], questions: Questions, ids: GroupIds
    ) -> None:
        self._own_jid = own_jid
        self._settings = settings
        self._questions = questions
        self._ids = ids
        self._written: LRUCache[tuple[str, str], Known] = LRUCache(MAX_REMEMBERED)
        """The newest messages outside groups, by their chat and each id that their writers gave
        them."""

    def direct(self, message: Message) -> tuple[NetworkEvent, ...]:
        """Return the events of a message outside groups."""
        sender, recipient = bare_or_none(message.sender), bare_or_none(message.recipient)
        sender = sender or self._own_jid
        from_me = sender == self._own_jid
        chat = recipient if from_me else sender
        if chat is None or _is_passed_over(message, from_me=from_me):
            return ()
        if message.kind == "error":
            return () if from_me else self._bounce(message, chat)
        events: list[NetworkEvent] = []
        if not from_me:
            events += [
                Receipt(chat, message_id, kind, message.at, only_of_chat=True)
                for kind, message_id in message.receipts
            ]
        elif displayed := [name for kind, name in message.receipts if kind == "read"]:
            names = tuple(self._stored(chat, name) for name in displayed)
            events.append(ReadElsewhere(chat, message.at, names))
        found = kind_of_change(message)
        known = self._written.get((chat, found[1])) if found else None
        if found:
            answers = known.answers if known and known.sender == sender else None
            corrected = self._chosen(message, chat, read_correction(message), answers)
            changed = direct_change(message, chat, sender, self._own_jid, corrected, known)
            if changed is not None:
                about = changed.chat_message_id
                self._remember(message, chat, Known(sender, changed.change_id, about, answers))
                events.append(self._or_told(message, changed))
        elif (content := _said(message)) is not None:
            archive = None if from_me else self._own_jid
            id_ = message.unique_id(archive)
            inbound = self._inbound(message, chat, sender, id_, content, from_me=from_me)
            has_chosen = isinstance(inbound.content, ButtonReply)
            question = inbound.reply_to_chat_message_id if has_chosen else None
            self._remember(message, chat, Known(sender, stored_as(id_), stored_as(id_), question))
            events.append(replace(inbound, is_group=message.is_groups_invitation))
        return tuple(events)

    def _remember(self, message: Message, chat: str, known: Known) -> None:
        # programs refer to a message by either of its ids
        for name in {message.own_id, message.stanza_id}:
            self._written[chat, name] = known

    def _stored(self, chat: str, name: str) -> str:
        """Return the gateway's id of the message, or the change, that is named so."""
        known = self._written.get((chat, name))
        return known.stored if known else stored_as(name)

    def in_group(
        self, message: Message, room: Room, sender: str, *, from_me: bool
    ) -> tuple[NetworkEvent, ...]:
        """Return the events of a message in a group.

        `sender` is a person's JID where the group shows it, else the sender's place in the group.
        """
        if message.kind != "groupchat":
            return ()
        if kind_of_change(message) is not None:
            content = read_correction(message)
            changed = group_change(message, room, sender, self._own_jid, content, self._ids)
            return () if changed is None else (self._or_told(message, changed, room),)
        said = None if message.is_subject else content_of(message)
        is_groups_own = not message.sender.partition("/")[2]
        if said is None or (is_groups_own and isinstance(said, System)):
            return ()
        is_ours = from_me and looks_like_ours(message.own_id)
        names = room.gives_ids and not is_ours
        id_ = message.id_in_group(room.jid) if names else message.unique_id(None)
        inbound = self._inbound(message, room.jid, sender, id_, said, from_me=from_me, room=room)
        return (inbound,)

    def _or_told(self, message: Message, changed: Changed, room: Room | None = None) -> Changed:
        """Return the change, with its new content as a message in case the changed one is
        unknown."""
        if changed.kind != "edited" or changed.content is None or changed.from_own_account:
            return changed
        chat, sender, id_ = changed.chat_jid, changed.sender_jid, changed.change_id
        told = self._inbound(message, chat, sender, id_, changed.content, from_me=False, room=room)
        return replace(changed, otherwise=told)

    def _inbound(
        self,
        message: Message,
        chat: str,
        sender: str,
        chat_message_id: str,
        content: Content,
        *,
        from_me: bool,
        room: Room | None = None,
    ) -> Inbound:
        """Return what a message says. `room` is None outside groups."""
        replies_to = self._replies_to(message, room)
        content, replies_to, may_press = self._answer(
            message, chat, chat_message_id, content, replies_to, from_me
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

    def _answer(
        self,
        message: Message,
        chat: str,
        chat_message_id: str,
        content: Content,
        replies_to: str | None,
        from_me: bool,
    ) -> tuple[Content, str | None, bool]:
        """Return the content, the message that it answers, and whether it may be a button of an
        older one.

        A text that chooses a known button is a press (XEP-0439, section 4).
        """
        if from_me:
            if buttons := read_buttons(message):
                self._questions.remember(chat, chat_message_id, buttons, message.at)
            else:
                self._questions.record_other_message(chat, message.at)
            return content, replies_to, False
        if not isinstance(content, Text) or content.body != message.body:
            return content, replies_to, False
        answered = self._questions.answered_by(
            chat, message.body, message.at, replies_to, message.thread
        )
        if answered is None:
            return content, replies_to, len(message.body) <= MAX_ANSWER_LENGTH
        message_id, button = answered
        return ButtonReply(button.id, button.title), message_id, False

    def _chosen(
        self, message: Message, chat: str, content: Content, question: str | None
    ) -> Content:
        """Return the new choice from the question that a corrected message has answered."""
        if question is None or not isinstance(content, Text) or content.body != message.body:
            return content
        answered = self._questions.answered_by(chat, message.body, message.at, question)
        return content if answered is None else ButtonReply(answered[1].id, answered[1].title)

    def _bounce(self, message: Message, chat: str) -> tuple[NetworkEvent, ...]:
        if not message.stanza_id:
            return ()
        reason = refusal_of(message.xml).sentence
        failed = Receipt(chat, message.stanza_id, "failed", message.at, reason, only_of_chat=True)
        return (failed,)


def _is_passed_over(message: Message, *, from_me: bool) -> bool:
    """Return whether a message outside groups is not from a person: it is from a group that the
    account is not in, from a server, or an invitation that the gateway has sent."""
    is_ours = from_me and message.is_invitation and looks_like_ours(message.own_id)
    is_news = message.kind == "headline" and "@" not in message.sender
    return message.kind == "groupchat" or is_news or is_ours


def _said(message: Message) -> Content | None:
    """Return what a message outside groups says."""
    content = content_of(message)
    is_servers = message.sender and "@" not in message.sender  # servers address programs
    has_words = message.body or message.xml.findtext(f"{CLIENT}subject")
    return None if is_servers and (isinstance(content, System) or not has_words) else content
