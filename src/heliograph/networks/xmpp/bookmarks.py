"""Bookmarks: the list of an account's groups on its server (XEP-0402).

The account's other programs show them, and they lead to a group that a lost node had begun to
create.
"""

import xml.etree.ElementTree as ET

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.addresses import bare_or_none
from heliograph.networks.xmpp.forms import fill_in
from heliograph.networks.xmpp.stanzas import (
    DATA,
    PUBSUB,
    AnswerError,
    attribute,
    clean,
    submitted_form,
)
from heliograph.networks.xmpp.stream import Stream

NODE = "urn:xmpp:bookmarks:1"
BOOKMARK = f"{{{NODE}}}conference"
PUBSUB_OWNER = "{http://jabber.org/protocol/pubsub#owner}"
PUBLISH_OPTIONS = "http://jabber.org/protocol/pubsub#publish-options"
_ACCESS = "pubsub#access_model"
_OPTIONS = {
    "pubsub#persist_items": "true",
    "pubsub#max_items": "max",
    "pubsub#send_last_published_item": "never",
    _ACCESS: "whitelist",
}


async def list_bookmarks(stream: Stream) -> list[str]:
    """List the groups that the account's programs enter automatically. Raises `NetworkError`."""
    pubsub = ET.Element(f"{PUBSUB}pubsub")
    ET.SubElement(pubsub, f"{PUBSUB}items", {"node": NODE})
    answer = await stream.ask("get", pubsub)
    rooms = (
        bare_or_none(item.get("id", ""))
        for item in answer.iter(f"{PUBSUB}item")
        if attribute(item, BOOKMARK, "autojoin") in ("true", "1")
    )
    return [room for room in rooms if room is not None]


async def publish_bookmark(stream: Stream, room: str, name: str, nick: str) -> None:
    """Add a group to the list. Raises `NetworkError`; `AnswerError` where the server keeps none."""
    pubsub = _published(room, name, nick)
    options = ET.SubElement(pubsub, f"{PUBSUB}publish-options")
    options.append(submitted_form(PUBLISH_OPTIONS, _OPTIONS))
    try:
        await stream.ask("set", pubsub)
    except AnswerError:
        # not every server accepts all options, or options that the list does not have yet
        await _set_up_list(stream)
        await stream.ask("set", _published(room, name, nick))


def _published(room: str, name: str, nick: str) -> ET.Element:
    pubsub = ET.Element(f"{PUBSUB}pubsub")
    publish = ET.SubElement(pubsub, f"{PUBSUB}publish", {"node": NODE})
    item = ET.SubElement(publish, f"{PUBSUB}item", {"id": room})
    conference = ET.SubElement(item, BOOKMARK, {"autojoin": "true", "name": clean(name)})
    ET.SubElement(conference, f"{{{NODE}}}nick").text = nick
    return pubsub


async def _set_up_list(stream: Stream) -> None:
    """Configure the list, by the form that the server has for it. Raises `NetworkError` where the
    list would not be the account's alone."""
    form = await _ask_for_form(stream)
    filled = fill_in(form, _OPTIONS)
    if _ACCESS in filled.lacking:
        raise NetworkError("The server can't keep the list of groups private.", permanent=True)
    pubsub = ET.Element(f"{PUBSUB_OWNER}pubsub")
    ET.SubElement(pubsub, f"{PUBSUB_OWNER}configure", {"node": NODE}).append(filled.xml)
    await stream.ask("set", pubsub)


async def _ask_for_form(stream: Stream) -> ET.Element | None:
    try:
        return await _form(stream)
    except AnswerError as error:
        if error.refusal.condition != "item-not-found":
            raise
    created = ET.Element(f"{PUBSUB}pubsub")
    ET.SubElement(created, f"{PUBSUB}create", {"node": NODE})
    await stream.ask("set", created)
    return await _form(stream)


async def _form(stream: Stream) -> ET.Element | None:
    pubsub = ET.Element(f"{PUBSUB_OWNER}pubsub")
    ET.SubElement(pubsub, f"{PUBSUB_OWNER}configure", {"node": NODE})
    answer = await stream.ask("get", pubsub)
    return answer.find(f"{PUBSUB_OWNER}pubsub/{PUBSUB_OWNER}configure/{DATA}x")


async def withdraw_bookmark(stream: Stream, room: str) -> None:
    """Take a group off the list. Raises `NetworkError`; `AnswerError` where it is not on it."""
    pubsub = ET.Element(f"{PUBSUB}pubsub")
    retract = ET.SubElement(pubsub, f"{PUBSUB}retract", {"node": NODE, "notify": "true"})
    ET.SubElement(retract, f"{PUBSUB}item", {"id": room})
    await stream.ask("set", pubsub)
