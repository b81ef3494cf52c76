"""Reads stanzas from XML. No connection, no slixmpp.

Namespaces are those of the XEPs: 0184 receipts, 0203 delay, 0280 carbons, 0297 forwarding, 0308
corrections, 0313 archive, 0333 markers, 0359 ids, 0421 occupants' ids, 0424 retractions, 0428
fallbacks, 0439 quick responses, 0444 reactions, 0461 replies.
"""

import hashlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from typing import Literal

import msgspec

from heliograph.networks.content import Button
from heliograph.networks.errors import NetworkError

CLIENT = "{jabber:client}"
DELAY = "{urn:xmpp:delay}delay"
FORWARDED = "{urn:xmpp:forward:0}forwarded"
RECEIPTS = "{urn:xmpp:receipts}"
MARKERS = "{urn:xmpp:chat-markers:0}"
CARBONS = "{urn:xmpp:carbons:2}"
IDS = "{urn:xmpp:sid:0}"
QUICK = "{urn:xmpp:tmp:quick-response}response"
REPLY = "{urn:xmpp:reply:0}reply"
REPLACE = "{urn:xmpp:message-correct:0}replace"
RETRACT = "{urn:xmpp:message-retract:1}retract"
OLD_RETRACT = "{urn:xmpp:message-retract:0}retract"
APPLY_TO = "{urn:xmpp:fasten:0}apply-to"
REACTIONS = "{urn:xmpp:reactions:0}"
SHARING = "{urn:xmpp:sfs:0}"
STICKER = "{urn:xmpp:stickers:0}sticker"
NICK = "{http://jabber.org/protocol/nick}nick"
OCCUPANT = "{urn:xmpp:occupant-id:0}occupant-id"
MUC_USER = "{http://jabber.org/protocol/muc#user}"
INVITE = "{jabber:x:conference}x"
MEDIATED_INVITE = f"{MUC_USER}x/{MUC_USER}invite"
FALLBACK = "{urn:xmpp:fallback:0}"
DATA = "{jabber:x:data}"
PUBSUB = "{http://jabber.org/protocol/pubsub}"
ERRORS = "{urn:ietf:params:xml:ns:xmpp-stanzas}"

MAX_BODY_LENGTH = 65_536
"""Characters of a message's text that are kept; the rest is cut off."""
MAX_EMOJI_LENGTH = 64
MIN_UNIQUE_ID_LENGTH = 16
"""The minimum length of an id that counts as random instead of a counter."""

_ADDED = frozenset(
    {
        IDS[1:-1],
        MUC_USER[1:-1],
        "jabber:x:delay",
        "urn:xmpp:delay",
        "urn:xmpp:hints",
        "urn:xmpp:mam:tmp",
        "urn:xmpp:occupant-id:0",
    }
)
"""Namespaces of elements that servers and groups add to some copies of a message only."""
_FIRST_TIME = datetime(1970, 1, 1, tzinfo=UTC)
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOBODY = frozenset(
    {"item-not-found", "remote-server-not-found", "jid-malformed", "gone", "service-unavailable"}
)
_PASSING = frozenset({"remote-server-timeout", "internal-server-error"})
"""Temporary conditions, though servers send them with `cancel` (RFC 6120, section 8.3.3)."""


class Refusal(msgspec.Struct, frozen=True):
    """An error stanza: RFC 6120's condition, what to do about it, the server's own words."""

    condition: str
    kind: str
    text: str

    @property
    def is_permanent(self) -> bool:
        return self.kind != "wait" and self.condition not in _PASSING

    @property
    def is_nobody(self) -> bool:
        """Whether nobody has this address."""
        # servers also answer `service-unavailable`, so that addresses can't be probed (RFC 6121,
        # 8.5)
        return self.condition in _NOBODY

    @property
    def sentence(self) -> str:
        return f"The server refuses: {self.text or self.condition}."


def refusal_of(stanza: ET.Element) -> Refusal:
    error = stanza.find(f"{CLIENT}error")
    if error is None:
        return Refusal("undefined-condition", "cancel", "")
    condition, text = "undefined-condition", ""
    for child in error:
        if child.tag == f"{ERRORS}text":
            text = (child.text or "").strip().rstrip(".")
        elif child.tag.startswith(ERRORS):
            condition = child.tag.removeprefix(ERRORS)
    return Refusal(condition, error.get("type", "cancel"), text)


_RECEIPTS: Mapping[str, Literal["delivered", "read"]] = {
    f"{RECEIPTS}received": "delivered",
    f"{MARKERS}received": "delivered",
    f"{MARKERS}displayed": "read",
    f"{MARKERS}acknowledged": "read",
}


class Message(msgspec.Struct, frozen=True):
    """A `<message/>` as it came, or as an archive has it.

    JIDs are as in the stanza. `at` is when it was sent, if a trusted party says so, else when it
    arrived.
    """

    xml: ET.Element
    kind: str
    sender: str
    recipient: str
    stanza_id: str
    at: datetime
    archived_as: str | None = None

    @property
    def body(self) -> str:
        """The text, without quotes of other messages for programs that know no replies (XEP-0428,
        XEP-0461)."""
        return self.text_without(REPLY)

    def text_without(self, *tags: str) -> str:
        """Return the text without the fallbacks of these elements (XEP-0428)."""
        text = self.xml.findtext(f"{CLIENT}body") or ""
        for start, end in sorted(self._stand_ins(tags, len(text)), reverse=True):
            text = text[:start] + text[end:]
        return text[:MAX_BODY_LENGTH]

    def _stand_ins(self, tags: Collection[str], length: int) -> Iterator[tuple[int, int]]:
        names = {namespace_of(tag) for tag in tags}
        for fallback in self.xml.findall(f"{FALLBACK}fallback"):
            if fallback.get("for") not in names:
                continue
            if not len(fallback) and fallback.get("for") == namespace_of(SHARING):
                yield 0, length
            for quoted in fallback.findall(f"{FALLBACK}body"):
                start, end = _place(quoted, "start"), _place(quoted, "end")
                yield start, max(start, end) if quoted.get("end") else length

    @property
    def is_invitation(self) -> bool:
        """Whether it invites into a group (XEP-0249)."""
        return self.xml.find(INVITE) is not None

    @property
    def is_groups_invitation(self) -> bool:
        """Whether it is an invitation that a group passes on (XEP-0045, section 7.8.2)."""
        # a person's JID has a resource here
        has_inviter = attribute(self.xml, MEDIATED_INVITE, "from") is not None
        return has_inviter and "/" not in self.sender

    @property
    def is_new_configuration(self) -> bool:
        """Whether it announces a change of a group's configuration (XEP-0045, section 10.2.1)."""
        codes = (each.get("code") for each in self.xml.findall(f"{MUC_USER}x/{MUC_USER}status"))
        return "/" not in self.sender and "104" in codes

    @property
    def is_subject(self) -> bool:
        """Whether it is a group's subject and nothing else (XEP-0045, section 7.2.15)."""
        has_text = self.xml.find(f"{CLIENT}body") is not None
        return self.xml.find(f"{CLIENT}subject") is not None and not has_text

    @property
    def is_within_group(self) -> bool:
        """Whether it came through a group, privately or not (XEP-0045, section 7.5)."""
        return self.xml.find(f"{MUC_USER}x") is not None

    @property
    def nick(self) -> str | None:
        return (self.xml.findtext(NICK) or "").strip() or None

    @property
    def replies_to(self) -> str | None:
        """The id of the message that this answers, according to the sender (XEP-0461)."""
        return attribute(self.xml, REPLY, "id")

    @property
    def replaces(self) -> str | None:
        """The id of the message that this corrects: its sender's own, in groups, too (XEP-0308)."""
        return attribute(self.xml, REPLACE, "id")

    @property
    def retracts(self) -> str | None:
        """The id of the message that this retracts (XEP-0424, and its first versions, which use the
        sender's own id)."""
        applied = self.xml.find(APPLY_TO)
        if applied is not None and applied.find(OLD_RETRACT) is not None:
            return applied.get("id")
        return attribute(self.xml, RETRACT, "id")

    @property
    def reacts_to(self) -> str | None:
        """The id of the message that this reacts to (XEP-0444)."""
        return attribute(self.xml, f"{REACTIONS}reactions", "id")

    @property
    def reaction(self) -> str:
        """The sender's newest reaction to that message; empty if it was removed."""
        all_of_them = self.xml.findall(f"{REACTIONS}reactions/{REACTIONS}reaction")
        found = [(reaction.text or "").strip() for reaction in all_of_them]
        return next((emoji for emoji in reversed(found) if 0 < len(emoji) <= MAX_EMOJI_LENGTH), "")

    @property
    def thread(self) -> str | None:
        return self.xml.findtext(f"{CLIENT}thread")

    def archive_id(self, archive: str) -> str | None:
        """Return the id that the archive of this JID gave the message (XEP-0359)."""
        for stanza_id in self.xml.findall(f"{IDS}stanza-id"):
            if stanza_id.get("by", "").lower() == archive:
                return stanza_id.get("id")
        return None

    @property
    def origin_id(self) -> str | None:
        """The id that the sender declares unique (XEP-0359)."""
        return attribute(self.xml, f"{IDS}origin-id", "id") or None

    @property
    def own_id(self) -> str:
        """The id that the sender gave it."""
        return self.origin_id or self.stanza_id

    def unique_id(self, archive: str | None) -> str:
        """Return an id that is unique among the sender's messages.

        That is the sender's id, which others use in reactions, unless it is short: some programs
        count from 1 and reuse ids. Then it is the archive's id, if there is one, else the sender's
        with a digest of the message.
        """
        if len(self.own_id) >= MIN_UNIQUE_ID_LENGTH:
            return self.own_id
        kept = self.archived_as or self.archive_id(archive) if archive else None
        return kept or f"{self.own_id}-{self._digest()}"

    def _digest(self) -> str:
        """Return a digest of what the sender wrote, the same for every copy of the message."""
        said = [
            (child.tag, child.get("id"), *child.itertext())
            for child in self.xml
            if namespace_of(child.tag) not in _ADDED
        ]
        return hashlib.sha256(repr(said).encode("utf-8", "replace")).hexdigest()[:32]

    def id_in_group(self, room: str) -> str:
        """Return the id that the group gave it, by which everybody refers to it there (XEP-0359),
        or its sender's if the group gives none."""
        return self.archived_as or self.archive_id(room) or self.unique_id(None)

    @property
    def receipts(self) -> list[tuple[Literal["delivered", "read"], str]]:
        """The receipts in this message: the states of messages, with their ids."""
        return [
            (_RECEIPTS[child.tag], message_id)
            for child in self.xml
            if child.tag in _RECEIPTS and (message_id := child.get("id"))
        ]


def read_message(
    xml: ET.Element,
    came_at: datetime,
    trusted: Collection[str] = (),
    sent_at: datetime | None = None,
    archived_as: str | None = None,
) -> Message:
    """Read a `<message/>`. Its time is `sent_at`, which an archive gives, or else the delay by one
    of `trusted` (bare JIDs and domains), because senders can write a delay, too. No message is
    newer than its arrival."""
    at = sent_at or _delayed_since(xml, trusted) or came_at
    return Message(
        xml=xml,
        kind=xml.get("type", "normal"),
        sender=xml.get("from", ""),
        recipient=xml.get("to", ""),
        stanza_id=xml.get("id", ""),
        at=min(at, came_at),
        archived_as=archived_as,
    )


def _delayed_since(xml: ET.Element, trusted: Collection[str]) -> datetime | None:
    """Return the delay that one of `trusted` has written, if any."""
    # each hop appends its delay: the last one is the most trustworthy
    for delay in reversed(xml.findall(DELAY)):
        at = read_time(delay.get("stamp"))
        if at is not None and delay.get("from", "").partition("/")[0].lower() in trusted:
            return at
    return None


def read_forwarded(holder: ET.Element, came_at: datetime) -> Message | None:
    """Read the message in a carbon, or in an archive's result, which has an id."""
    message = holder.find(f"{FORWARDED}/{CLIENT}message")
    if message is None:
        return None
    at = read_time(attribute(holder, f"{FORWARDED}/{DELAY}", "stamp"))
    return read_message(message, came_at, sent_at=at, archived_as=holder.get("id"))


def read_carbon(
    xml: ET.Element, own_jid: str, came_at: datetime, trusted: Collection[str]
) -> Message | None:
    """Read the message in a carbon. Only the account's own server may send one (XEP-0280, 11)."""
    for name in ("received", "sent"):
        carbon = xml.find(CARBONS + name)
        if carbon is not None and xml.get("from", own_jid).lower() == own_jid:
            return read_forwarded(carbon, read_message(xml, came_at, trusted).at)
    return None


def is_carbon(xml: ET.Element) -> bool:
    return any(xml.find(CARBONS + name) is not None for name in ("received", "sent"))


def occupant_id(xml: ET.Element) -> str | None:
    """Return the id by which a group recognizes a person, whatever their nick (XEP-0421)."""
    return attribute(xml, OCCUPANT, "id")


def read_time(stamp: str | None) -> datetime | None:
    """Read a date and time of XEP-0082; None for anything else, or for an impossible time."""
    try:
        at = datetime.fromisoformat(stamp or "")
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # a stranger may write the year 1
        return None
    return at if at >= _FIRST_TIME else None


def write_time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def clean(text: str) -> str:
    """Replace characters that XML can't hold by U+FFFD."""
    # a single such character would end the stream
    return _ILLEGAL.sub("\ufffd", text)


def submitted_form(kind: str, fields: Mapping[str, str]) -> ET.Element:
    """Make a data form that is filled in (XEP-0004). `kind` is its FORM_TYPE."""
    form = ET.Element(f"{DATA}x", {"type": "submit"})
    for name, value in {"FORM_TYPE": kind, **fields}.items():
        field = ET.SubElement(form, f"{DATA}field", {"var": name})
        ET.SubElement(field, f"{DATA}value").text = value
    return form


def namespace_of(tag: str) -> str:
    """Return the namespace of an element by its tag; empty if it has none."""
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


def element(tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    made = ET.Element(tag, {name.replace("_", "-"): value for name, value in attributes.items()})
    made.text = text
    return made


def read_buttons(message: Message) -> tuple[Button, ...]:
    """Return the choices that a message offers."""
    return tuple(
        Button(response.get("value", ""), response.get("label", ""))
        for response in message.xml.findall(QUICK)
        if response.get("value")
    )


def _place(quoted: ET.Element, name: str) -> int:
    value = quoted.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else 0


def attribute(parent: ET.Element, path: str, name: str) -> str | None:
    """Return an attribute of the first element at this path; None if either is missing."""
    found = parent.find(path)
    return None if found is None else found.get(name)


class AnswerError(NetworkError):
    """The server, or the entity that was asked through it, refused; `refusal` has the error."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence, permanent=refusal.is_permanent)
        self.refusal = refusal
