"""Converts the library's failures to the port's errors.

The library gives only texts, which contain the server's codes.
"""

import re
from collections.abc import Sequence

from heliograph.networks import errors

RATE_PAUSE = 60.0
_NO_NEW_CHATS = "WhatsApp does not let the account write to people it has not talked with (463)."
_NOT_TO_THIS_PERSON = (
    "WhatsApp takes nothing from the account for this person at the moment (463). Write to them "
    "once from the phone, or wait until they write; then try again."
)

_CODE = re.compile(r"(?:status|returned error) (\d{3})\b")
_NOT_CONNECTED = ("websocket not connected", "client not found")
_CUT_OFF = "websocket disconnected"
"""Failures before the answer: the request had been sent."""
_UNANSWERED = ("timed out waiting for message send response", "info query timed out", _CUT_OFF)
_NO_SUCH_GROUP = ("not participating in that group", "that group does not exist")
_UPLOAD_CODE = re.compile(r"upload failed with status code (\d{3})\b")
_PARTICIPANTS = {
    401: "They have blocked the account (401).",
    403: "They let only some people add them to groups: send an invite link (403).",
    404: "They are not on WhatsApp, or not in the group (404).",
    408: "They have left the group recently: send an invite link (408).",
    409: "They are in the group already (409).",
    419: "The group is full (419).",
    500: "The group is full, or WhatsApp's server failed (500).",
}
_WRONG_ADDRESS = ("unknown server", "must be a user JID")


def failure_of(text: str) -> errors.NetworkError:
    """Return the error for a failed request."""
    # without an answer of the network, it is not certain that nothing was done
    if _has(text, _NOT_CONNECTED):
        return errors.NotConnectedError("The account is not connected to WhatsApp at the moment.")
    if "doesn't contain a device JID" in text:
        return errors.NotConnectedError("The account is not paired with WhatsApp.")
    if _has(text, _UNANSWERED):
        return errors.NoAnswerError("WhatsApp did not answer.")
    if _has(text, _NO_SUCH_GROUP):
        return errors.RecipientNotFoundError("The account is not in this group.")
    if _has(text, _WRONG_ADDRESS):
        return errors.NetworkError("WhatsApp has no address of this kind.", permanent=True)
    code = _CODE.search(text)
    if code is not None:
        return _by_code(int(code[1]), text)
    return errors.NetworkError(f"WhatsApp: {text.strip()[:300]}", certain=False)


def send_failure_of(text: str) -> errors.NetworkError:
    """Return the error for a message that was not sent."""
    # until it is handed over, nothing can have been sent
    if "failed to get device list" in text:
        if _has(text, (*_NOT_CONNECTED, _CUT_OFF)):
            return errors.NotConnectedError(
                "The account is not connected to WhatsApp at the moment."
            )
        return errors.NetworkError("WhatsApp did not say which devices the recipient has.")
    return failure_of(text)


def upload_failure_of(text: str) -> errors.NetworkError:
    """Return the error for a file that was not uploaded, so that no message was sent."""
    if _has(text, (*_NOT_CONNECTED, _CUT_OFF)):
        return errors.NotConnectedError("The account is not connected to WhatsApp at the moment.")
    code = _UPLOAD_CODE.search(text)
    if code is not None and code[1] == "413":
        return errors.NetworkError("The file is too large for WhatsApp (413).", permanent=True)
    answer = f"WhatsApp answers {code[1]}" if code else text.strip()[:200]
    return errors.NetworkError(f"The file could not be uploaded: {answer}.")


def group_failure_of(text: str) -> errors.NetworkError:
    """Return the error for a group that was not read or changed."""
    if _has(text, _NO_SUCH_GROUP) or "status 404" in text:
        return errors.GroupNotFoundError("The account is not in this group.")
    if "don't have the permission" in text or _has(text, ("status 401", "status 403")):
        return errors.NotAllowedError("WhatsApp allows only admins of the group to do this.")
    return failure_of(text)


def participant_failure_of(code: int) -> str:
    """Return why somebody was not added to a group, or not removed."""
    return _PARTICIPANTS.get(code, f"WhatsApp refused ({code}).")


def invite_failure_of(text: str) -> errors.NetworkError:
    if "has been revoked" in text:
        return errors.InviteRevokedError("This invite link has been revoked (410).")
    if "invite link is not valid" in text or "status 404" in text:
        return errors.InviteNotFoundError("No group has this invite link (406).")
    return failure_of(text)


def number_failure_of(text: str) -> errors.NetworkError:
    if "returned nothing" in text:
        return errors.RecipientNotFoundError("This number is not on WhatsApp.")
    return failure_of(text)


def picture_failure_of(text: str) -> errors.NetworkError:
    if "hidden their profile picture" in text:
        return errors.PictureNotFoundError("This person hides their picture from the account.")
    if "does not have a profile picture" in text:
        return errors.PictureNotFoundError("There is no picture.")
    return failure_of(text)


def _by_code(code: int, text: str) -> errors.NetworkError:
    if code == 463:
        return errors.RestrictedError(_NO_NEW_CHATS, about_person=_NOT_TO_THIS_PERSON)
    if code in (420, 429):
        return errors.NetworkError(f"WhatsApp asks to wait ({code}).", retry_after=RATE_PAUSE)
    if code >= 500:
        return errors.NetworkError(f"WhatsApp's server failed ({code}).", certain=False)
    permanent = code in (400, 403, 404, 405, 406, 409, 419)
    return errors.NetworkError(f"WhatsApp refused ({text.strip()[:200]}).", permanent=permanent)


def _has(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)
