"""Addresses and ids of the sandbox network.

<digits>@sandbox                          a phone: 5 to 15 digits, E.164 without the plus
<digits>@g.sandbox                        a group
https://sandbox.example/join/<code>       an invite link; the bare code of 20 letters works too
SBX0 and 18 upper-case hexadecimal digits a message
"""

import hashlib
import re
import secrets
import string
from uuid import UUID

from heliograph.networks.errors import InvalidAddressError, InvalidInviteError
from heliograph.networks.invite_links import find_code, link_pattern
from heliograph.networks.phone_numbers import phone_digits, plain_phone_digits
from heliograph.platform.characters import trimmed

PHONE_SERVER = "sandbox"
GROUP_SERVER = "g.sandbox"
INVITE_BASE = "https://sandbox.example/join/"

_GROUP = re.compile(r"[0-9]{5,30}@g\.sandbox", re.ASCII)
_CODE = re.compile(r"[A-Za-z0-9]{20}", re.ASCII)
_INVITE = re.compile(
    link_pattern("https?|sandbox", r"sandbox\.example(?::[0-9]+)?/+join/+", _CODE.pattern),
    re.IGNORECASE,
)
_CODE_LETTERS = string.ascii_letters + string.digits
_PAIRING_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without 0, 1, I and O: a person types it


def address(value: str) -> str:
    """Return the JID for a phone number or a JID. Raises `InvalidAddressError`."""
    value = trimmed(value)
    value = value.lower() if "@" in value else value
    if _GROUP.fullmatch(value):
        return value
    local, at, server = value.partition("@")
    digits = plain_phone_digits(local) if at else phone_digits(local)
    if server == (PHONE_SERVER if at else "") and digits is not None:
        return f"{digits}@{PHONE_SERVER}"
    raise InvalidAddressError(
        f"{value!r} is not an address of the sandbox: give a phone number of 5 to 15 digits, "
        f"<digits>@{PHONE_SERVER} or <digits>@{GROUP_SERVER}."
    )


def is_group(jid: str) -> bool:
    return jid.endswith(f"@{GROUP_SERVER}")


def phone_number(jid: str) -> str | None:
    """`+` and the digits of a phone's JID; None for a group."""
    return None if is_group(jid) else f"+{jid.partition('@')[0]}"


def message_id(ours: UUID) -> str:
    """Return the network's id of our message, which is always the same for the same message."""
    return "SBX0" + hashlib.sha256(ours.bytes).hexdigest()[:18].upper()


def new_message_id() -> str:
    """Make an id for a message that a virtual phone sends."""
    return "SBX1" + secrets.token_hex(9).upper()


def own_number(account_id: UUID, attempt: int = 0) -> str:
    """Return the JID an account gets when nobody chose one: +1 555 2xx xxxx to +1 555 9xx xxxx."""
    digest = hashlib.sha256(account_id.bytes + bytes([attempt])).digest()
    return f"1555{2_000_000 + int.from_bytes(digest[:8]) % 8_000_000}@{PHONE_SERVER}"


def new_group_jid() -> str:
    return f"{120_363_000_000_000_000 + secrets.randbelow(10**12)}@{GROUP_SERVER}"


def new_invite_code() -> str:
    return "".join(secrets.choice(_CODE_LETTERS) for _ in range(20))


def invite_link(code: str) -> str:
    return INVITE_BASE + code


def invite_code(link: str) -> str:
    """Return the code of an invite link, or the bare code. Raises `InvalidInviteError`."""
    code = find_code(link, _INVITE, _CODE)
    if code is None:
        raise InvalidInviteError(
            "This is not an invite link of the sandbox network. One looks like "
            f"{INVITE_BASE}<code>, with a code of 20 letters and digits."
        )
    return code


def new_qr_payload() -> str:
    return f"sandbox:pair:{secrets.token_urlsafe(24)}"


def new_pairing_code() -> str:
    letters = "".join(secrets.choice(_PAIRING_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"
