"""Addresses and ids of WhatsApp.

<digits>@s.whatsapp.net            a person, by phone number; `@c.us` is an older name of the server
<digits>@lid                       the same person where the network hides the number
<digits>@g.us                      a group; older ones are <digits>-<digits>@g.us
https://chat.whatsapp.com/<code>   an invite link, as people paste it; the bare code works too
3EB0 and 18 upper-case hexadecimal digits   a message

In all of these the part of a device (`user:device@server`) is dropped. Nothing here needs the
library.
"""

import hashlib
import re
from uuid import UUID

from heliograph.networks.errors import InvalidAddressError, InvalidInviteError
from heliograph.networks.invite_links import find_code, link_pattern
from heliograph.networks.phone_numbers import phone_digits, plain_phone_digits
from heliograph.platform.characters import trimmed

PERSON_SERVER = "s.whatsapp.net"
LEGACY_PERSON_SERVER = "c.us"
LID_SERVER = "lid"
GROUP_SERVER = "g.us"
INVITE_BASE = "https://chat.whatsapp.com/"

_LID = re.compile(r"[0-9]{5,20}@lid", re.ASCII)
_GROUP = re.compile(r"[0-9]{5,30}(-[0-9]{5,30})?@g\.us", re.ASCII)
_CODE = re.compile(r"[A-Za-z0-9_-]{20,32}", re.ASCII)
_INVITE = re.compile(
    link_pattern(
        "https?|whatsapp",
        r"(?:www\.)?chat\.whatsapp\.com(?::[0-9]+)?/+(?:invite/|\?code=)?"
        r"|(?:(?:web|api|www)\.)?whatsapp\.com/accept/?\?code="
        r"|chat/?\?code=",
        _CODE.pattern,
    ),
    re.IGNORECASE,
)
"""Also the links by which WhatsApp's pages open its programs."""


def address(value: str) -> str:
    """Return the JID for a phone number or a JID. Raises `InvalidAddressError`."""
    value = trimmed(value)
    value = value.lower() if "@" in value else value
    if _GROUP.fullmatch(value) or _LID.fullmatch(value):
        return value
    local, at, server = value.partition("@")
    digits = plain_phone_digits(local) if at else phone_digits(local)
    servers = (PERSON_SERVER, LEGACY_PERSON_SERVER) if at else ("",)
    if server in servers and digits is not None:
        return f"{digits}@{PERSON_SERVER}"
    raise InvalidAddressError(
        f"{value!r} is not a WhatsApp address: give a phone number with its country code, "
        f"<digits>@{PERSON_SERVER}, <digits>@{LID_SERVER} or <digits>@{GROUP_SERVER}."
    )


def is_group(jid: str) -> bool:
    return jid.endswith(f"@{GROUP_SERVER}")


def is_lid(jid: str) -> bool:
    return jid.endswith(f"@{LID_SERVER}")


def phone_number(jid: str) -> str | None:
    """`+` and the digits of a person's JID; None where the JID does not tell the number."""
    user, _, server = jid.partition("@")
    return f"+{user}" if server == PERSON_SERVER and plain_phone_digits(user) == user else None


def message_id(ours: UUID) -> str:
    """Return the name of our message on this network: the same for the same message, forever."""
    return "3EB0" + hashlib.sha256(ours.bytes).hexdigest()[:18].upper()


def invite_code(link: str) -> str:
    """Return the code of an invite link, or the bare code. Raises `InvalidInviteError`."""
    code = find_code(link, _INVITE, _CODE)
    if code is None:
        raise InvalidInviteError(
            f"This is not a WhatsApp invite link. One looks like {INVITE_BASE}<code>, with a code "
            "of 22 letters and digits."
        )
    return code
