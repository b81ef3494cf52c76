"""Addresses and ids of XMPP.

local@domain                      a person (RFC 7622), or a group on a group service's domain
xmpp:room@service?join            an invitation into a group (XEP-0147); `room@service` works too
hg<time><random>@service          a group that this gateway made: the time is its creation's
64 hexadecimal digits             a message: SHA-256 of our id

Nothing here needs slixmpp: the API asks for addresses in processes that hold no connection.
"""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from ipaddress import ip_address
from urllib.parse import unquote
from uuid import UUID

from heliograph.networks.errors import InvalidAddressError, InvalidInviteError
from heliograph.networks.invite_links import unwrapped
from heliograph.networks.phone_numbers import phone_digits, plain_phone_digits
from heliograph.networks.xmpp.preparation import MAX_PART_LENGTH, prepare_domain, prepare_local
from heliograph.platform.characters import trimmed

DIGITS = "{digits}"
DEFAULT_TEMPLATE = "{digits}@{domain}"

MAX_ID_LENGTH = 256
"""Characters; an index of the database holds no more than 2,704 bytes in all."""

_LOCAL = re.compile(r"[^\x00-\x20\x7f\"&'/:<>@]+")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?)(?:\.[^\W_](?:[\w-]{0,61}[^\W_])?)*\.?")
_INVITE = re.compile(
    r"(?:xmpp:(?://(?:[^/?#]*/)?)?|https?://[^\s#]+/#/?|https?://[^\s/]+/j/)?"
    r"(?P<jid>[^?;#/\s]+@[^?;#/\s]+)/?(?:\?join(?P<more>(?:;[^;#\s]*)*))?(?:#\S*)?",
    re.IGNORECASE,
)
_LINK = re.compile(r"(?<![\w.@/-])xmpp:[^\s<>\"']+", re.IGNORECASE)
_OURS = re.compile(r"hg([0-9a-f]{12})[0-9a-f]{10}", re.ASCII)
_MESSAGE_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)
_GROUP_LABELS = frozenset({"conference", "conf", "muc", "rooms", "groups", "chat", "channels"})


def address(value: str, settings: Mapping[str, str]) -> str:
    """Return the bare JID for a phone number or a JID. Raises `InvalidAddressError`."""
    value = trimmed(value)
    if "@" in value:
        return bare(value)
    digits = phone_digits(value)
    if digits is not None:
        return phone_jid(digits, settings)
    raise InvalidAddressError(
        f"{value!r} is not an XMPP address: give a phone number of 5 to 15 digits or a JID such as "
        "romeo@example.org."
    )


def bare(jid: str) -> str:
    """Return the normalized JID without its resource. Raises `InvalidAddressError`."""
    local, _, rest = jid.partition("@")
    domain = rest.partition("/")[0].lower().rstrip(".")
    local = unicodedata.normalize("NFC", local).lower()
    fits = all(
        0 < len(part.encode("utf-8", "replace")) <= MAX_PART_LENGTH for part in (local, domain)
    )
    if not (fits and _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain)):
        raise InvalidAddressError(f"{jid!r} is not a JID: one looks like romeo@example.org.")
    return f"{local}@{domain}"


def account_jid(text: str) -> str:
    """Return the bare JID of an account as servers compare it. Raises `InvalidAddressError`."""
    jid = bare(trimmed(text))
    local, _, domain = jid.partition("@")
    prepared = prepare_local(local), prepare_domain(domain)
    if None in prepared:
        raise not_allowed(jid)
    return "@".join(map(str, prepared))


def not_allowed(jid: str) -> InvalidAddressError:
    return InvalidAddressError(f"{jid!r} is not a JID that XMPP allows.")


def domain_name(text: str) -> str:
    """Return a normalized domain. Raises `InvalidAddressError`."""
    domain = trimmed(text).lower().rstrip(".")
    if not (_DOMAIN.fullmatch(domain) and prepare_domain(domain)):
        raise InvalidAddressError(f"{text!r} is not a domain: one looks like chat.example.org.")
    return domain


def host(text: str) -> str:
    """Return a server's name, or its IP address without brackets. Raises `InvalidAddressError`."""
    try:
        return str(ip_address(trimmed(text).removeprefix("[").removesuffix("]")))
    except ValueError:
        pass
    try:
        return domain_name(text)
    except InvalidAddressError:
        raise InvalidAddressError(
            f"{text!r} is not a host: give a name such as xmpp.example.org or an IP address, "
            "without a port."
        ) from None


def bare_or_none(jid: str) -> str | None:
    """Return the bare JID, or None if this is not a JID."""
    try:
        return bare(jid)
    except InvalidAddressError:
        return None


def domain_of(jid: str) -> str:
    return jid.partition("@")[2].partition("/")[0].lower()


def phone_jid(digits: str, settings: Mapping[str, str]) -> str:
    """Return the JID of a phone number, by the account's template. Raises `InvalidAddressError`."""
    template = phone_template(settings)
    if "@" not in template:
        raise InvalidAddressError("This account has no domain for phone numbers: give a JID.")
    return bare(template.replace(DIGITS, digits))


def phone_template(settings: Mapping[str, str]) -> str:
    """`…{digits}…@domain` of an account. A template without `{digits}` is the domain alone."""
    template = settings.get("phone_numbers") or DEFAULT_TEMPLATE
    if DIGITS not in template:
        template = f"{DIGITS}@{template.removeprefix('@')}"
    own = domain_of(settings.get("jid", ""))
    return template.replace("{domain}", own) if own else template.replace("@{domain}", "")


def checked_template(text: str) -> str:
    """Return a template that makes addresses of phone numbers. Raises `InvalidAddressError`."""
    template = trimmed(text)
    try:
        phone_jid("15550100001", {"jid": "desk@example.org", "phone_numbers": template})
    except InvalidAddressError:
        raise InvalidAddressError(
            f"{text!r} makes no addresses of phone numbers: give a domain such as sms.example.org, "
            f"or a template such as {DEFAULT_TEMPLATE}."
        ) from None
    return template


def phone_number(jid: str, settings: Mapping[str, str]) -> str | None:
    """`+` and the digits, if the JID is one that the account's template makes."""
    head, _, tail = phone_template(settings).partition(DIGITS)
    head, tail = head.lower(), tail.lower()
    if not (jid.startswith(head) and jid.endswith(tail)):
        return None
    digits = jid[len(head) : len(jid) - len(tail)]
    return f"+{digits}" if plain_phone_digits(digits) == digits else None


def looks_like_group(jid: str) -> bool:
    """Return whether the JID's domain has a name that is usual for group services."""
    return domain_of(jid).partition(".")[0] in _GROUP_LABELS


def invited_to(invite_link: str) -> tuple[str, str | None]:
    """Return the group's JID and password in a link. Raises `InvalidInviteError`."""
    pasted = unwrapped(invite_link)
    links = {unwrapped(link) for link in _LINK.findall(pasted)}
    match = _INVITE.fullmatch(links.pop() if len(links) == 1 else pasted)
    room = bare_or_none(unquote(match["jid"])) if match else None
    if match is None or room is None:
        raise InvalidInviteError(
            "This is not an XMPP invite link. One looks like xmpp:room@conference.example.org?join."
        )
    fields = dict(part.partition("=")[::2] for part in (match["more"] or "").split(";") if part)
    return room, unquote(fields["password"]) if fields.get("password") else None


def message_id(ours: UUID) -> str:
    """Return the network's id of our message, which is always the same for the same message."""
    return hashlib.sha256(ours.bytes).hexdigest()


def looks_like_ours(chat_message_id: str) -> bool:
    """Return whether an id has the form of those that `message_id` makes."""
    return _MESSAGE_ID.fullmatch(chat_message_id) is not None


def stored_as(id_: str) -> str:
    """Return an id as the gateway stores it: a stranger's id that is too long is hashed."""
    if len(id_) <= MAX_ID_LENGTH:
        return id_
    return f"long-{hashlib.sha256(id_.encode('utf-8', 'replace')).hexdigest()}"


def new_room_name(at: datetime) -> str:
    """Make an unguessable name that contains the time of the room's creation."""
    return f"hg{int(at.timestamp() * 1000):012x}{secrets.token_hex(5)}"


def room_made_at(jid: str) -> datetime | None:
    """Return when a room of this gateway's was made, to the millisecond; None for others' rooms."""
    match = _OURS.fullmatch(jid.partition("@")[0])
    try:
        return datetime.fromtimestamp(int(match[1], 16) / 1000, UTC) if match else None
    except (ValueError, OverflowError):  # a stranger may write the year 10889
        return None
