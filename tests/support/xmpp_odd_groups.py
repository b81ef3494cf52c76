"""A group service that does as it is told, on a component of the server: rooms as no honest service
has them."""

import asyncio
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import slixmpp
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

from heliograph.networks.xmpp.stanzas import write_time
from xmpp_server import COMPONENT_SECRET, CROWD, XmppServer

COMPONENT = "{jabber:component:accept}"
DISCO = "http://jabber.org/protocol/disco#info"
MAM = "urn:xmpp:mam:2"
IDS = "urn:xmpp:sid:0"

Kept = tuple[str, str, str] | tuple[str, str, str, datetime]


@dataclass
class OddRoom:
    """What a room does. The archive is its list of ids, senders' nicks, texts, and times, if not
    now. Of what `refuses` names it wants to hear nothing."""

    jid: str
    features: list[str] = field(default_factory=list)
    archive: list[Kept] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)
    says_while_asked: tuple[str, str, str] | None = None
    goes_round: bool = False
    says_subject: bool = True
    rewrites_ids: bool = False
    asked: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    history_since: list[str] = field(default_factory=list)
    archive_since: list[str] = field(default_factory=list)
    nick: str = ""
    visitor: str = ""


class OddGroups:
    """The service. A room is there once `room` was called for it."""

    def __init__(self, server: XmppServer) -> None:
        component: Any = slixmpp.ComponentXMPP
        self.client = component(CROWD, COMPONENT_SECRET, "127.0.0.1", server.component_port)
        self.client.enable_plaintext = True
        self.client.enable_direct_tls = self.client.enable_starttls = False
        self.rooms: dict[str, OddRoom] = {}
        self.changed = asyncio.Event()
        for kind, take in (
            ("iq", self._take_iq),
            ("presence", self._take_presence),
            ("message", self._take_message),
        ):
            self.client.register_handler(Callback(kind, MatchXPath(COMPONENT + kind), take))

    async def come(self) -> "OddGroups":
        began = asyncio.Event()
        self.client.add_event_handler("session_start", lambda _: began.set())
        self.client.connect()
        async with asyncio.timeout(60):
            await began.wait()
        return self

    async def go(self) -> None:
        self.client.cancel_connection_attempt()
        self.client.abort()

    def room(self, *features: str, name: str = "") -> OddRoom:
        room = OddRoom(f"{name or uuid4().hex}@{CROWD}", list(features))
        self.rooms[room.jid] = room
        return room

    async def asked(self, room: OddRoom, what: str, times: int = 1) -> None:
        """Wait until it was asked so often: `info`, `join`, `archive`, `ping`, `message`."""
        async with asyncio.timeout(60):
            while room.asked[what] < times:
                self.changed.clear()
                await self.changed.wait()

    def say(self, room: OddRoom, nick: str, text: str, more: str = "", stanza_id: str = "") -> None:
        """To the one account that is in the room."""
        stanza_id = stanza_id or uuid4().hex
        self.client.send_raw(
            f"<message type='groupchat' from='{room.jid}/{nick}' to='{room.visitor}' "
            f"id='{stanza_id}'><body>{text}</body>{more}</message>"
        )

    def end_history(self, room: OddRoom) -> None:
        self.client.send_raw(
            f"<message type='groupchat' from='{room.jid}' to='{room.visitor}'><subject/></message>"
        )

    # --- what is asked of it ---

    def _note(self, room: OddRoom, what: str) -> bool:
        """Whether it answers."""
        room.asked[what] += 1
        self.changed.set()
        return what not in room.refuses

    def _take_iq(self, stanza: Any) -> None:
        xml: ET.Element = stanza.xml
        if xml.get("type") not in ("get", "set"):
            return
        room = self.rooms.get(xml.get("to", "").partition("/")[0])
        if room is not None and room.says_while_asked and f"{{{MAM}}}query" == xml[0].tag:
            archive_id, nick, text = room.says_while_asked
            self.say(room, nick, text, kept_as(room, archive_id))
            room.says_while_asked = None
        what = {f"{{{DISCO}}}query": "info", f"{{{MAM}}}query": "archive"}.get(xml[0].tag, "ping")
        if room is None or not self._note(room, what):
            self._refuse(xml)
        elif what == "info":
            self._answer(xml, _info(room))
        elif what == "archive":
            self._tell_archive(room, xml)
        else:
            self._answer(xml, "")

    def _answer(self, asked: ET.Element, payload: str) -> None:
        self.client.send_raw(
            f"<iq type='result' from='{asked.get('to')}' to='{asked.get('from')}' "
            f"id='{asked.get('id')}'>{payload}</iq>"
        )

    def _refuse(self, asked: ET.Element) -> None:
        self.client.send_raw(
            f"<iq type='error' from='{asked.get('to')}' to='{asked.get('from')}' "
            f"id='{asked.get('id')}'><error type='wait'><internal-server-error "
            "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        )

    def _tell_archive(self, room: OddRoom, asked: ET.Element) -> None:
        after = asked[0].findtext(".//{http://jabber.org/protocol/rsm}after")
        starts = [
            field.findtext("{jabber:x:data}value") or ""
            for field in asked.iter("{jabber:x:data}field")
            if field.get("var") == "start"
        ]
        room.archive_since += starts
        ids = [message[0] for message in room.archive]
        behind = room.archive[ids.index(after) + 1 :] if after in ids else room.archive
        if room.goes_round:
            behind = room.archive
        if asked[0].find(".//{http://jabber.org/protocol/rsm}before") is not None:
            behind = room.archive[-1:]
        for archive_id, nick, text, *when in behind:
            at = when[0] if when else datetime.now(UTC)
            self.client.send_raw(
                f"<message from='{room.jid}' to='{asked.get('from')}'><result xmlns='{MAM}' "
                f"queryid='{asked[0].get('queryid')}' id='{archive_id}'>"
                f"<forwarded xmlns='urn:xmpp:forward:0'>{delay(at, '')}"
                f"<message xmlns='jabber:client' type='groupchat' from='{room.jid}/{nick}' "
                f"id='{archive_id}'><body>{text}</body></message></forwarded></result></message>"
            )
        last = f"<last>{behind[-1][0]}</last>" if behind else ""
        self._answer(
            asked,
            f"<fin xmlns='{MAM}' complete='{str(not room.goes_round).lower()}'>"
            f"<set xmlns='http://jabber.org/protocol/rsm'>{last}</set></fin>",
        )

    def _take_presence(self, stanza: Any) -> None:
        xml: ET.Element = stanza.xml
        jid, _, nick = xml.get("to", "").partition("/")
        room = self.rooms.get(jid)
        if room is None or xml.get("type") is not None or not self._note(room, "join"):
            return
        history = xml.find(".//{http://jabber.org/protocol/muc}history")
        if history is not None:
            room.history_since.append(history.get("since", ""))
        room.visitor, room.nick = xml.get("from", ""), nick
        self.be_in(room, nick, "<status code='110'/>")
        if room.says_subject:
            self.end_history(room)

    def be_in(self, room: OddRoom, nick: str, more: str = "") -> None:
        """Show that somebody is in the room."""
        self.client.send_raw(
            f"<presence from='{room.jid}/{nick}' to='{room.visitor}'>"
            "<x xmlns='http://jabber.org/protocol/muc#user'>"
            f"<item affiliation='member' role='participant'/>{more}</x></presence>"
        )

    def _take_message(self, stanza: Any) -> None:
        xml: ET.Element = stanza.xml
        room = self.rooms.get(xml.get("to", ""))
        if room is None or not self._note(room, "message"):
            return
        stanza_id = uuid4().hex if room.rewrites_ids else xml.get("id", "")
        origin = xml.find(f"{{{IDS}}}origin-id")
        kept = f"<origin-id xmlns='{IDS}' id='{origin.get('id')}'/>" if origin is not None else ""
        body = xml.findtext(f"{COMPONENT}body") or ""
        self.say(room, room.nick, body, kept, stanza_id)


def kept_as(room: OddRoom, archive_id: str) -> str:
    """What says under which id the room's archive has a message (XEP-0359)."""
    return f"<stanza-id xmlns='{IDS}' by='{room.jid}' id='{archive_id}'/>"


def delay(at: datetime, by: str) -> str:
    """What says that a message was sent then (XEP-0203), and who says so."""
    source = f" from='{by}'" if by else ""
    return f"<delay xmlns='urn:xmpp:delay'{source} stamp='{write_time(at)}'/>"


def _info(room: OddRoom) -> str:
    features = "".join(f"<feature var='{feature}'/>" for feature in room.features)
    return f"<query xmlns='{DISCO}'><identity category='conference' type='text'/>{features}</query>"
