"""What messages mean to the gateway: texts, pressed buttons, locations, receipts, bounces."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

from heliograph.networks.choices import LONGEST_ANSWER
from heliograph.networks.content import ButtonReply, Content, Location, Text, is_on_globe
from heliograph.networks.port import Inbound, NetworkEvent, Receipt
from heliograph.networks.xmpp.addresses import bare_or_none, phone_number
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.rooms import Room
from heliograph.networks.xmpp.stanzas import Message, read_buttons, refusal_of


class Reader:
    """Reads the messages of one account."""

    def __init__(self, own_jid: str, settings: Mapping[str, str], questions: Questions) -> None:
        self._own_jid = own_jid
        self._settings = settings
        self._questions = questions

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
        if message.body:
            events.append(self._inbound(message, chat, sender, from_me=from_me))
        return tuple(events)

    def in_group(
        self, message: Message, room: Room, sender: str, *, from_me: bool
    ) -> tuple[NetworkEvent, ...]:
        """Return the events that a message in a group means.

        `sender` is a person's JID where the group shows it, else the sender's place in the group.
        """
        if not message.body or message.kind != "groupchat":
            return ()
        inbound = self._inbound(message, room.jid, sender, from_me=from_me, subject=room.subject)
        return (inbound,)

    def _inbound(
        self, message: Message, chat: str, sender: str, *, from_me: bool, subject: str | None = None
    ) -> Inbound:
        """Return what a message says. `subject` is the group's, None outside groups."""
        is_group = subject is not None
        archive = chat if is_group else self._own_jid
        chat_message_id = message.unique_id(None if from_me else archive)
        content, replies_to, may_press = self._content(message, chat, chat_message_id, from_me)
        return Inbound(
            chat_jid=chat,
            sender_jid=sender,
            chat_message_id=chat_message_id,
            content=content,
            sent_at=message.at,
            is_group=is_group,
            from_me=from_me,
            sender_phone_number=phone_number(sender, self._settings),
            sender_name=message.sender.partition("/")[2] or None if is_group else message.nick,
            group_subject=subject,
            reply_to_chat_message_id=replies_to,
            may_press=may_press,
        )

    def _content(
        self, message: Message, chat: str, chat_message_id: str, from_me: bool
    ) -> tuple[Content, str | None, bool]:
        """Return what was said, which message it answers, and whether it may be a button of an
        older one.

        A text that chooses a known button is a press (XEP-0439, section 4).
        """
        location = read_location(message.xml, message.body)
        if from_me:
            if buttons := read_buttons(message):
                self._questions.remember(chat, chat_message_id, buttons, message.at)
            else:
                self._questions.record_other_message(chat, message.at)
            return location or Text(message.body), message.replies_to, False
        if location is not None:
            return location, message.replies_to, False
        answered = self._questions.answered_by(
            chat, message.body, message.at, message.replies_to, message.thread
        )
        if answered is None:
            return Text(message.body), message.replies_to, len(message.body) <= LONGEST_ANSWER
        message_id, button = answered
        return ButtonReply(button), message_id, False

    def _bounce(self, message: Message, chat: str) -> tuple[NetworkEvent, ...]:
        if not message.stanza_id:
            return ()
        reason = refusal_of(message.xml).sentence
        failed = Receipt(chat, message.stanza_id, "failed", message.at, reason, only_of_chat=True)
        return (failed,)


GEOLOC = "{http://jabber.org/protocol/geoloc}"
LONGEST_WORD = 1000
_DEGREES = r"-?[0-9]{1,3}(?:\.[0-9]{1,20})?"
_GEO = re.compile(
    rf"geo:({_DEGREES}),({_DEGREES})(?:,[0-9.-]{{1,20}})?(?:;[^\s]{{0,200}})?", re.IGNORECASE
)


def read_location(xml: ET.Element, body: str) -> Location | None:
    """Return the location that a message is; None for any other message.

    Programs send a location as a `geo:` address (RFC 5870), and perhaps as XEP-0080 beside it.
    """
    match = _GEO.fullmatch(body.strip())
    if match is None:
        return None
    latitude, longitude = float(match[1]), float(match[2])
    if not is_on_globe(latitude, longitude):
        return None
    geoloc = xml.find(f"{GEOLOC}geoloc")
    name = address = ""
    if geoloc is not None:
        name = _word(geoloc, "description") or _word(geoloc, "text")
        parts = [_word(geoloc, part) for part in ("street", "postalcode", "locality", "country")]
        address = ", ".join(part for part in parts if part)
    return Location(latitude, longitude, name, address)


def _word(geoloc: ET.Element, name: str) -> str:
    return (geoloc.findtext(GEOLOC + name) or "").strip()[:LONGEST_WORD]
