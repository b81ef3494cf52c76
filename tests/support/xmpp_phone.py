"""What a person's program shows of the account's messages, read from the stanzas that it got.

It knows the XEPs 0308, 0333, 0372, 0424, 0428, 0439, 0444, 0447, 0449 and 0461, as new programs do.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from urllib.parse import unquote

from heliograph.networks.content import (
    NOTHING,
    Audio,
    ContactCard,
    Content,
    Document,
    Image,
    Location,
    Sticker,
    Text,
    Video,
)
from heliograph.networks.testing import ShownMessage
from xmpp_friend import CLIENT, FALLBACK, QUICK, Friend, content_of
from xmpp_things import (
    CARD_NAMES,
    CHAT_STATES,
    FILE,
    GEOLOC,
    MARKERS,
    OOB,
    REACTIONS,
    REFERENCE,
    REPLACE,
    REPLY,
    RETRACT,
    SHARING,
    STICKER,
    URL_DATA,
    VCARD4,
    download,
)

KINDS: dict[str, type[Image | Video | Audio]] = {"image": Image, "video": Video, "audio": Audio}


@dataclass
class Shown:
    """A message, and where its file lies."""

    message: ShownMessage
    url: str | None = None


async def messages_on(friend: Friend, account: str) -> list[ShownMessage]:
    """The account's messages as they are now, oldest first."""
    shown: dict[str, Shown] = {}
    for stanza in messages_of(friend, account):
        if not _changed(shown, stanza) and stanza.findtext(f"{CLIENT}body"):
            shown[stanza.get("id", "")] = _shown(stanza)
    return [
        replace(each.message, file=await download(friend, each.url) if each.url else None)
        for each in shown.values()
    ]


def reactions(friend: Friend, account: str, chat_message_id: str) -> list[str]:
    """What the account's newest reaction to a message says."""
    found: list[str] = []
    for stanza in messages_of(friend, account):
        reacted = stanza.find(f"{REACTIONS}reactions")
        if reacted is not None and reacted.get("id") == chat_message_id:
            found = [each.text or "" for each in reacted]
    return found


def sees_typing(friend: Friend, account: str) -> bool:
    """Whether the newest that the account said of it is that it writes (XEP-0085)."""
    states = [
        child.tag.removeprefix(CHAT_STATES)
        for stanza in messages_of(friend, account)
        for child in stanza
        if child.tag.startswith(CHAT_STATES)
    ]
    return states[-1:] == ["composing"]


def sees_read(friend: Friend, account: str, chat_message_id: str) -> bool:
    """Whether the account has read so far: a marker is for all messages up to the one it names."""
    marked = [
        friend.said.index(marker.get("id", ""))
        for stanza in messages_of(friend, account)
        for marker in stanza.findall(f"{MARKERS}displayed")
    ]
    return bool(marked) and friend.said.index(chat_message_id) <= max(marked)


def messages_of(friend: Friend, account: str) -> list[ET.Element]:
    return [each for each in friend.stanzas if each.get("from", "").partition("/")[0] == account]


def _changed(shown: dict[str, Shown], stanza: ET.Element) -> bool:
    """Change what an earlier message shows; False for a message of its own."""
    for tag in (f"{REACTIONS}reactions", RETRACT, REPLACE):
        change = stanza.find(tag)
        if change is not None:
            known = shown.get(change.get("id", ""))
            if known is not None:
                shown[change.get("id", "")] = _after(known, tag, stanza)
            return True
    return False


def _after(known: Shown, tag: str, stanza: ET.Element) -> Shown:
    if tag == RETRACT:
        return Shown(replace(known.message, content=NOTHING, is_deleted=True))
    if tag == REPLACE:
        new = _shown(stanza)
        message = replace(known.message, content=new.message.content, is_edited=True)
        return Shown(message, new.url)
    emoji = [each.text or "" for each in stanza.iterfind(f"{REACTIONS}reactions/*")]
    return replace(known, message=replace(known.message, reactions=tuple(emoji)))


def _shown(stanza: ET.Element) -> Shown:
    reply, sharing = stanza.find(REPLY), stanza.find(f"{SHARING}file-sharing")
    content, url = (_said(stanza), None) if sharing is None else _file(stanza, sharing)
    answered = reply.get("id") if reply is not None else None
    return Shown(ShownMessage(stanza.get("id", ""), content, reply_to=answered), url)


def _said(stanza: ET.Element) -> Content:
    if stanza.find(QUICK) is not None:
        return content_of(stanza)
    place, card = stanza.find(f"{GEOLOC}geoloc"), stanza.find(f"{VCARD4}vcard")
    if place is not None:
        return _place(place)
    if card is not None:
        return _card(card)
    body = _without(stanza, REPLY)
    return Text(body, tuple(_mentioned(each, stanza) for each in stanza.findall(REFERENCE)))


def _without(stanza: ET.Element, tag: str) -> str:
    """The text, without what stands in it for programs that don't know this element (XEP-0428)."""
    body, namespace = stanza.findtext(f"{CLIENT}body") or "", tag[1:].partition("}")[0]
    for fallback in stanza.findall(f"{FALLBACK}fallback"):
        if fallback.get("for") == namespace:
            [part] = fallback
            start, end = int(part.get("start", "")), int(part.get("end", ""))
            body = body[:start] + body[end:]
    return body


def _mentioned(reference: ET.Element, stanza: ET.Element) -> str:
    """Whom a reference means; its place in the text must have their name."""
    jid = unquote(reference.get("uri", "")).removeprefix("xmpp:")
    begin, end = int(reference.get("begin", "")), int(reference.get("end", ""))
    body = stanza.findtext(f"{CLIENT}body") or ""
    assert body[begin:end] == f"@{jid.partition('@')[0]}"
    return jid


def _file(stanza: ET.Element, sharing: ET.Element) -> tuple[Content, str]:
    told, source = sharing.find(f"{FILE}file"), sharing.find(f".//{URL_DATA}")
    assert told is not None
    assert source is not None
    url = source.get("target", "")
    assert stanza.findtext(f"{OOB}x/{OOB}url") == url, "programs without XEP-0447 see no file"
    media_type = told.findtext(f"{FILE}media-type") or ""
    main = media_type.partition("/")[0]
    kind: type[Image | Video | Audio | Document | Sticker] = KINDS.get(main, Document)
    if stanza.find(STICKER) is not None:
        kind = Sticker
    caption = _without(stanza, SHARING).strip()
    name, size = told.findtext(f"{FILE}name"), int(told.findtext(f"{FILE}size") or "")
    return kind(media_type, caption, name, size), url


def _place(place: ET.Element) -> Location:
    text = {child.tag.removeprefix(GEOLOC): child.text or "" for child in place}
    return Location(
        float(text["lat"]), float(text["lon"]), text.get("description", ""), text.get("street", "")
    )


def _card(card: ET.Element) -> ContactCard:
    lines = ["BEGIN:VCARD", "VERSION:4.0"]
    for child in card:
        tag = child.tag.removeprefix(VCARD4)
        value = "".join(child.itertext())
        if tag == "n":
            value = ";".join(child.findtext(VCARD4 + part) or "" for part in CARD_NAMES)
        lines.append(f"{tag.upper()}:{value}")
    return ContactCard(
        card.findtext(f"{VCARD4}fn/{VCARD4}text") or "", "\n".join([*lines, "END:VCARD"])
    )
