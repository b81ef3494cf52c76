"""The people at the other end: plain slixmpp clients, and a crowd on a component."""

import asyncio
import base64
import hashlib
import ssl
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Any
from uuid import uuid4

import slixmpp
from slixmpp.exceptions import IqError, IqTimeout
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

from heliograph.networks.content import Button, Buttons, Content, Text
from heliograph.networks.xmpp.disco import DISCO_INFO
from heliograph.networks.xmpp.stanzas import write_time
from waiting import until
from xmpp_server import COMPONENT_SECRET, CROWD, PASSWORD, XmppServer

QUICK = "{urn:xmpp:tmp:quick-response}response"
MARKABLE = "{urn:xmpp:chat-markers:0}markable"
ORIGIN_ID = "{urn:xmpp:sid:0}origin-id"
FALLBACK = "{urn:xmpp:fallback:0}"
DIRECT_INVITATION = "{jabber:x:conference}x"
VCARD = "{vcard-temp}"
CLIENT = "{jabber:client}"
STANZA_ERRORS = "{urn:ietf:params:xml:ns:xmpp-stanzas}"
MUC = "{http://jabber.org/protocol/muc}"
MUC_USER = "{http://jabber.org/protocol/muc#user}"
PUBSUB = "{http://jabber.org/protocol/pubsub}"
MUC_OWNER = "{http://jabber.org/protocol/muc#owner}"
DATA = "{jabber:x:data}"

WHOLE_ARCHIVE = 5000
"""Messages that somebody asks for at once: a server whose archive is one file reads all of it for
each page."""
PATIENCE = 60.0
"""Seconds: a machine that runs other tests beside this one may be slow."""


class Friend:
    """A person with a program that acknowledges what arrives and shows buttons."""

    def __init__(self, server: XmppServer, jid: str, resource: str = "phone") -> None:
        self.jid = jid
        self.received: list[ET.Element] = []
        self.stanzas: list[ET.Element] = []
        """All messages, those without a text, too."""
        self.said: list[str] = []
        """The ids of what was written to accounts, oldest first."""
        self.invited: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.changed = asyncio.Event()
        self.tls = ssl.create_default_context(cafile=server.ca_file)
        self.client: Any = slixmpp.ClientXMPP(f"{jid}/{resource}", PASSWORD, ssl_context=self.tls)
        self.client.enable_direct_tls = False
        for plugin in ("xep_0030", "xep_0184", "xep_0199", "xep_0280"):
            self.client.register_plugin(plugin)
        self.client.add_event_handler("message", self._take)
        self.client.add_event_handler("groupchat_message", self._take)
        self.client.add_filter("in", self._keep)
        path = MatchXPath(f"{CLIENT}message/{DIRECT_INVITATION}")
        self.client.register_handler(Callback("invitation", path, self._take_invitation))
        self._server = server
        self._joined: set[str] = set()

    async def come(self) -> "Friend":
        """Log in and be available."""
        began = asyncio.Event()
        self.client.add_event_handler("session_start", lambda _: began.set())
        self.client.connect("127.0.0.1", self._server.port)
        async with asyncio.timeout(PATIENCE):
            await began.wait()
        self.client.send_presence()
        return self

    async def go(self) -> None:
        self.client.cancel_connection_attempt()
        await asyncio.wait_for(self.client.disconnect(0.2, ignore_send_queue=True), PATIENCE)
        self.client.abort()

    def _take(self, message: Any) -> None:
        if message["type"] != "error" and message["body"]:
            self.received.append(message.xml)
            self.changed.set()

    def _keep(self, stanza: Any) -> Any:
        xml = stanza.xml
        if xml.tag == f"{CLIENT}message" and xml.get("type") != "error":
            self.stanzas.append(xml)
        return stanza

    def _take_invitation(self, message: Any) -> None:
        """Who invites, and into which room."""
        invitation = message.xml.find(DIRECT_INVITATION)
        self.invited.put_nowait((message["from"].bare, invitation.get("jid")))

    async def synchronize(self) -> None:
        """Once this returns, what the server had for us is here."""
        await self.client.plugin["xep_0199"].send_ping(self.jid.partition("@")[2], timeout=PATIENCE)

    async def shown(self, account: str) -> list[Content]:
        """What the account has written, oldest first; looking at it reads it."""
        await self.synchronize()
        mine = [message for message in self.received if message.get("from", "").startswith(account)]
        for message in mine:
            if message.find(MARKABLE) is not None:
                self.mark_read(message)
        return [content_of(message) for message in mine]

    def mark_read(self, message: ET.Element) -> None:
        self.pretend_read(message.get("from", ""), message.get("id", ""))

    def pretend_read(self, to: str, message_id: str) -> None:
        """Claim to have read a message, whoever it was for."""
        read = ET.Element("{urn:xmpp:chat-markers:0}displayed", {"id": message_id})
        self.post(to, "", read, origin=False)

    def refuse(self, received: ET.Element) -> None:
        """As a server does that can't deliver what another has sent on to it."""
        message = self.client.make_message(mto=received.get("from", ""), mtype="error")
        message["id"] = received.get("id", "")
        error = ET.SubElement(message.xml, f"{CLIENT}error", {"type": "cancel"})
        ET.SubElement(error, f"{STANZA_ERRORS}service-unavailable")
        message.send()

    async def say(self, to: str, text: str) -> str:
        """Write to somebody; the message's id."""
        message_id = self.post(to, text)
        self.said.append(message_id)
        await self.synchronize()
        return message_id

    def post(
        self,
        to: str,
        text: str,
        *payload: ET.Element,
        kind: str = "chat",
        message_id: str | None = None,
        origin: bool = True,
    ) -> str:
        """Write, and do not wait for the server; the message's id. It has more in it than a text
        where there is `payload`."""
        message = self.client.make_message(to, mtype=kind)
        message["id"] = message_id or uuid4().hex
        if text:
            message["body"] = text
        if origin:
            ET.SubElement(message.xml, ORIGIN_ID, {"id": message["id"]})
        for each in payload:
            message.xml.append(each)
        message.send()
        return str(message["id"])

    def reply(self, to: str, to_id: str, quoted: str, text: str) -> None:
        """Answer a message as programs with replies do (XEP-0461), quoting it for the others."""
        reply = ET.Element("{urn:xmpp:reply:0}reply", {"id": to_id, "to": to})
        fallback = ET.Element(f"{FALLBACK}fallback", {"for": "urn:xmpp:reply:0"})
        ET.SubElement(fallback, f"{FALLBACK}body", {"start": "0", "end": str(len(quoted))})
        self.post(to, quoted + text, reply, fallback, origin=False)

    def forge_carbon(self, to: str, pretended: str, text: str) -> None:
        """A message that pretends to be a copy, from the server, of what somebody else wrote."""
        carbon = ET.Element("{urn:xmpp:carbons:2}received")
        forwarded = ET.SubElement(carbon, "{urn:xmpp:forward:0}forwarded")
        inner = ET.SubElement(
            forwarded, f"{CLIENT}message", {"from": pretended, "to": to, "type": "chat"}
        )
        ET.SubElement(inner, f"{CLIENT}body").text = text
        self.post(to, "", carbon, origin=False)

    async def block(self, jid: str) -> None:
        blocked = ET.Element("{urn:xmpp:blocking}block")
        ET.SubElement(blocked, "{urn:xmpp:blocking}item", {"jid": jid})
        await self.ask("set", blocked)

    async def kept(self, writer: str, other: str) -> list[str]:
        """The ids of the messages with a text that `writer` wrote, as the server has kept them for
        us of our chat with the other."""
        chat = [message async for message in archive(self, with_jid=slixmpp.JID(other))]
        return [message["id"] for message in chat if message["from"].bare == writer]

    async def say_in(self, room: str, text: str) -> str:
        await self.enter(room)
        message_id = self.post(room, text, kind="groupchat")
        await self.synchronize()
        return message_id

    def pretend_delay(self, to: str, text: str, by: str, at: datetime) -> None:
        """Write, and claim that the message was sent then and held up by somebody."""
        delay = ET.Element("{urn:xmpp:delay}delay", {"stamp": write_time(at)})
        if by:
            delay.set("from", by)
        self.post(to, text, delay, origin=False)

    async def whisper(self, room: str, nick: str, text: str) -> None:
        """Write to one person in a room (XEP-0045, section 7.5)."""
        await self.enter(room)
        self.post(f"{room}/{nick}", text, ET.Element(f"{MUC_USER}x"), origin=False)
        await self.synchronize()

    def pretend_in(self, room: str, pretended: str, text: str) -> None:
        """Speak in a room, and claim to be somebody else as the room itself would say it."""
        user = ET.Element(f"{MUC_USER}x")
        ET.SubElement(user, f"{MUC_USER}item", {"jid": pretended})
        self.post(room, text, user, kind="groupchat", origin=False)

    async def write_card(self, **values: str) -> None:
        """Publish a vCard of these fields (XEP-0054)."""
        card = ET.Element(f"{VCARD}vCard")
        for name, value in values.items():
            field = ET.SubElement(card, f"{VCARD}{name}")
            inner = {"TEL": "NUMBER", "PHOTO": "BINVAL"}.get(name)
            (ET.SubElement(field, f"{VCARD}{inner}") if inner else field).text = value
        await self.ask("set", card)

    async def enter(self, room: str, nick: str = "") -> None:
        if room in self._joined:
            return
        nick = nick or self.jid.partition("@")[0]
        presence = self.client.make_presence(pto=f"{room}/{nick}")
        ET.SubElement(presence.xml, f"{MUC}x")
        presence.send()
        await self.synchronize()
        self._joined.add(room)

    async def make_room(self, room: str, name: str, **options: str) -> None:
        await self.enter(room)
        query = ET.Element(f"{MUC_OWNER}query")
        form = ET.SubElement(query, f"{DATA}x", {"type": "submit"})
        values = {
            "FORM_TYPE": "http://jabber.org/protocol/muc#roomconfig",
            "muc#roomconfig_roomname": name,
            "muc#roomconfig_persistentroom": "1",
            **{f"muc#roomconfig_{option}": value for option, value in options.items()},
        }
        for key, value in values.items():
            one = ET.SubElement(form, f"{DATA}field", {"var": key})
            ET.SubElement(one, f"{DATA}value").text = value
        await self.ask("set", query, room)

    async def affiliate(self, room: str, jid: str, affiliation: str) -> None:
        query = ET.Element("{http://jabber.org/protocol/muc#admin}query")
        item = {"jid": jid, "affiliation": affiliation}
        ET.SubElement(query, "{http://jabber.org/protocol/muc#admin}item", item)
        await self.ask("set", query, room)

    async def destroy_room(self, room: str) -> None:
        query = ET.Element(f"{MUC_OWNER}query")
        ET.SubElement(query, f"{MUC_OWNER}destroy")
        await self.ask("set", query, room)
        await until(lambda: self._misses(room))

    async def _misses(self, room: str) -> bool:
        """Whether the server says that there is no such room. ejabberd loses what is sent to one
        while it ends, which is after it has said that it was destroyed."""
        try:
            await self.client.make_iq_get(DISCO_INFO[1:-1], ito=room).send(timeout=1)
        except (IqError, IqTimeout) as error:
            return isinstance(error, IqError)
        return False

    async def show_picture(self, data: bytes) -> str:
        """Publish a profile picture (XEP-0084); its id."""
        picture_id = hashlib.sha1(data).hexdigest()  # noqa: S324 - XEP-0084 names pictures so
        await self._publish("data", picture_id, base64.b64encode(data).decode())
        await self._publish("metadata", picture_id, None, bytes=str(len(data)))
        return picture_id

    async def _publish(self, kind: str, item_id: str, text: str | None, **info: str) -> None:
        pubsub = ET.Element(f"{PUBSUB}pubsub")
        publish = ET.SubElement(pubsub, f"{PUBSUB}publish", {"node": f"urn:xmpp:avatar:{kind}"})
        item = ET.SubElement(publish, f"{PUBSUB}item", {"id": item_id})
        payload = ET.SubElement(item, f"{{urn:xmpp:avatar:{kind}}}{kind}")
        payload.text = text
        if text is None:
            told = {"id": item_id, "type": "image/png", **info}
            ET.SubElement(payload, f"{{urn:xmpp:avatar:{kind}}}info", told)
        await self.ask("set", pubsub)

    async def ask(self, kind: str, payload: ET.Element, to: str | None = None) -> Any:
        iq = self.client.Iq()
        iq["type"] = kind
        if to:
            iq["to"] = to
        iq.xml.append(payload)
        return await iq.send(timeout=PATIENCE)


async def archive(
    friend: Friend, *, since: datetime | None = None, with_jid: slixmpp.JID | None = None
) -> AsyncIterator[Any]:
    """The messages with a text that the server has kept for somebody, oldest first (XEP-0313)."""
    friend.client.register_plugin("xep_0313")
    pages = friend.client.plugin["xep_0313"].iterate(
        start=since, with_jid=with_jid, rsm={"max": WHOLE_ARCHIVE}
    )
    async for page in pages:
        message = page["mam_result"]["forwarded"]["stanza"]
        if message["body"]:
            yield message


def content_of(message: ET.Element) -> Content:
    """What a program with quick responses shows; the text must list them for the others."""
    body = message.findtext(f"{CLIENT}body") or ""
    buttons = tuple(
        Button(response.get("value", ""), response.get("label", ""))
        for response in message.findall(QUICK)
    )
    if not buttons:
        return Text(body)
    parts, choices = body.split("\n\n"), [f"{n}. {each.title}" for n, each in enumerate(buttons, 1)]
    listed = parts.index("\n".join(choices))
    *headers, head = parts[:listed]
    how, *footers = parts[listed + 1 :]
    assert how.startswith("Reply with ")
    return Buttons(head, buttons, headers[0] if headers else None, footers[0] if footers else None)


class Crowd:
    """Any number of strangers, each at an address of its own, over one connection."""

    def __init__(self, server: XmppServer) -> None:
        component: Any = slixmpp.ComponentXMPP
        self.client = component(CROWD, COMPONENT_SECRET, "127.0.0.1", server.component_port)
        self.client.enable_plaintext = True
        self.client.enable_direct_tls = self.client.enable_starttls = False
        self.on_message: Callable[[Any], None] = lambda _: None
        self.client.add_event_handler("message", lambda message: self.on_message(message))

    async def come(self) -> "Crowd":
        began = asyncio.Event()
        self.client.add_event_handler("session_start", lambda _: began.set())
        self.client.connect()
        async with asyncio.timeout(PATIENCE):
            await began.wait()
        return self

    def say(self, stranger: str, to: str, text: str) -> str:
        message = self.client.make_message(to, mbody=text, mtype="chat", mfrom=f"{stranger}/phone")
        message["id"] = uuid4().hex
        ET.SubElement(message.xml, ORIGIN_ID, {"id": message["id"]})
        message.send()
        return str(message["id"])

    async def go(self) -> None:
        self.client.cancel_connection_attempt()
        self.client.abort()
