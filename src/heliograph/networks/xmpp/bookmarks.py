"""The account's list of its groups, kept on its server (XEP-0402), so that its other programs show
them, and so that a group which a lost node had begun to make can be found."""

import xml.etree.ElementTree as ET

from heliograph.networks.xmpp.archive import DATA
from heliograph.networks.xmpp.stanzas import bare_or_none, clean
from heliograph.networks.xmpp.stream import Stream

NODE = "urn:xmpp:bookmarks:1"
BOOKMARK = f"{{{NODE}}}conference"
PUBSUB = "{http://jabber.org/protocol/pubsub}"
_OPTIONS = {
    "FORM_TYPE": "http://jabber.org/protocol/pubsub#publish-options",
    "pubsub#persist_items": "true",
    "pubsub#max_items": "max",
    "pubsub#send_last_published_item": "never",
    "pubsub#access_model": "whitelist",
}


async def list_bookmarks(stream: Stream) -> list[str]:
    """The groups that the account's programs enter by themselves. Raises `NetworkError`."""
    pubsub = ET.Element(f"{PUBSUB}pubsub")
    ET.SubElement(pubsub, f"{PUBSUB}items", {"node": NODE})
    answer = await stream.ask("get", pubsub)
    rooms = []
    for item in answer.iter(f"{PUBSUB}item"):
        conference = item.find(BOOKMARK)
        if conference is not None and conference.get("autojoin") in ("true", "1"):
            rooms.append(bare_or_none(item.get("id", "")))
    return [room for room in rooms if room is not None]


async def publish_bookmark(stream: Stream, room: str, name: str, nick: str) -> None:
    """Raises `NetworkError`; an `AnswerError` from a server that keeps no such list."""
    pubsub = ET.Element(f"{PUBSUB}pubsub")
    publish = ET.SubElement(pubsub, f"{PUBSUB}publish", {"node": NODE})
    item = ET.SubElement(publish, f"{PUBSUB}item", {"id": room})
    conference = ET.SubElement(item, BOOKMARK, {"autojoin": "true", "name": clean(name)})
    ET.SubElement(conference, f"{{{NODE}}}nick").text = nick
    options = ET.SubElement(pubsub, f"{PUBSUB}publish-options")
    form = ET.SubElement(options, f"{DATA}x", {"type": "submit"})
    for option, value in _OPTIONS.items():
        one = ET.SubElement(form, f"{DATA}field", {"var": option})
        ET.SubElement(one, f"{DATA}value").text = value
    await stream.ask("set", pubsub)
