"""Service discovery: the identities and features of servers, rooms and services (XEP-0030)."""

import xml.etree.ElementTree as ET

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.stanzas import DATA
from heliograph.networks.xmpp.stream import Stream

DISCO_INFO = "{http://jabber.org/protocol/disco#info}"
SERVICE_TIMEOUT = 30.0
"""Seconds for one of a server's services to say what it is, before the next is asked."""
DISCO_ITEMS = "{http://jabber.org/protocol/disco#items}"


async def ask_info(stream: Stream, jid: str, *, timeout: float | None = None) -> ET.Element:
    """Query the identity and features of an address. Raises `NetworkError`."""
    answer = await stream.ask("get", ET.Element(f"{DISCO_INFO}query"), jid, timeout=timeout)
    query = answer.find(f"{DISCO_INFO}query")
    return ET.Element(f"{DISCO_INFO}query") if query is None else query


async def list_services(stream: Stream, host: str) -> list[str]:
    """List the services beside a server. Raises `NetworkError`."""
    answer = await stream.ask("get", ET.Element(f"{DISCO_ITEMS}query"), host)
    items = answer.findall(f"{DISCO_ITEMS}query/{DISCO_ITEMS}item")
    return [jid for item in items if (jid := item.get("jid", "")) and "@" not in jid]


async def find_service(stream: Stream, host: str, feature: str, category: str = "") -> str | None:
    """Find the server's service with this feature, or None. Raises `NetworkError`, also if one of
    its services can't answer at the moment."""
    temporary: NetworkError | None = None
    for jid in await list_services(stream, host):
        try:
            info = await ask_info(stream, jid, timeout=SERVICE_TIMEOUT)
        except NetworkError as error:
            if not error.permanent:
                temporary = error
            continue
        kinds = {identity.get("category") for identity in info.findall(f"{DISCO_INFO}identity")}
        if feature in features_of(info) and (not category or category in kinds):
            return jid
    if temporary is not None:
        raise NetworkError(f"A service of {host} does not say what it is: {temporary.reason}")
    return None


def features_of(info: ET.Element) -> frozenset[str]:
    """Return the features in an answer."""
    return frozenset(feature.get("var", "") for feature in info.iter(f"{DISCO_INFO}feature"))


def form_fields(info: ET.Element) -> dict[str, str]:
    """Return the fields of all forms in an answer (XEP-0128), each with its first value."""
    return {
        field.get("var", ""): field.findtext(f"{DATA}value") or ""
        for form in info.findall(f"{DATA}x")
        for field in form.findall(f"{DATA}field")
    }
