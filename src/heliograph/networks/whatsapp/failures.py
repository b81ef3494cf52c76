"""What the library says when something asked of it fails, as the port's errors.

The library gives words alone: those of its errors, which name the server's codes.
"""

import re
from collections.abc import Sequence

from heliograph.networks.errors import (
    InviteNotFoundError,
    InviteRevokedError,
    NetworkError,
    NoAnswerError,
    NotConnectedError,
    PictureNotFoundError,
    RecipientNotFoundError,
    RestrictedError,
)

RATE_PAUSE = 60.0

_CODE = re.compile(r"(?:status|returned error) (\d{3})\b")
_NOT_CONNECTED = ("websocket not connected", "client not found")
_CUT_OFF = "websocket disconnected"
"""Before the answer came: what was asked had gone out."""
_UNANSWERED = ("timed out waiting for message send response", "info query timed out", _CUT_OFF)
_NO_SUCH_GROUP = ("not participating in that group", "that group does not exist")
_WRONG_ADDRESS = ("unknown server", "must be a user JID")


def failure_of(text: str) -> NetworkError:
    """Return the error for a failed request."""
    # where the network said nothing, it is not certain that nothing was done
    if _has(text, _NOT_CONNECTED):
        return NotConnectedError("The account is not connected to WhatsApp at the moment.")
    if "doesn't contain a device JID" in text:
        return NotConnectedError("The account is not paired with WhatsApp.")
    if _has(text, _UNANSWERED):
        return NoAnswerError("WhatsApp did not answer.")
    if _has(text, _NO_SUCH_GROUP):
        return RecipientNotFoundError("The account is not in this group.")
    if _has(text, _WRONG_ADDRESS):
        return NetworkError("WhatsApp has no address of this kind.", permanent=True)
    code = _CODE.search(text)
    if code is not None:
        return _by_code(int(code[1]), text)
    return NetworkError(f"WhatsApp: {text.strip()[:300]}", certain=False)


def send_failure_of(text: str) -> NetworkError:
    """Return the error for a message that was not sent."""
    # until it is handed over, nothing can have gone out
    if "failed to get device list" in text:
        if _has(text, (*_NOT_CONNECTED, _CUT_OFF)):
            return NotConnectedError("The account is not connected to WhatsApp at the moment.")
        return NetworkError("WhatsApp did not say which devices the recipient has.")
    return failure_of(text)


def invite_failure_of(text: str) -> NetworkError:
    if "has been revoked" in text:
        return InviteRevokedError("This invite link has been revoked (410).")
    if "invite link is not valid" in text or "status 404" in text:
        return InviteNotFoundError("No group has this invite link (406).")
    return failure_of(text)


def number_failure_of(text: str) -> NetworkError:
    if "returned nothing" in text:
        return RecipientNotFoundError("This number is not on WhatsApp.")
    return failure_of(text)


def picture_failure_of(text: str) -> NetworkError:
    if "hidden their profile picture" in text:
        return PictureNotFoundError("This person hides their picture from the account.")
    if "does not have a profile picture" in text:
        return PictureNotFoundError("There is no picture.")
    return failure_of(text)


def _by_code(code: int, text: str) -> NetworkError:
    if code == 463:
        return RestrictedError(
            "WhatsApp does not let the account write to people it has not talked with (463)."
        )
    if code in (420, 429):
        return NetworkError(f"WhatsApp asks to wait ({code}).", retry_after=RATE_PAUSE)
    if code >= 500:
        return NetworkError(f"WhatsApp's server failed ({code}).", certain=False)
    permanent = code in (400, 403, 404, 405, 406, 409, 419)
    return NetworkError(f"WhatsApp refused ({text.strip()[:200]}).", permanent=permanent)


def _has(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)
