"""Reasons why a group has removed the account, as far as the group gives them."""

import xml.etree.ElementTree as ET
from collections.abc import Collection, Mapping

from heliograph.networks.xmpp.stanzas import MUC_USER, attribute

_BY_CODE: Mapping[str, str] = {
    "301": "The account was banned from this group",
    "307": "The account was removed from this group",
    "321": "The account is no longer a member of this group",
    "322": "This group is now for members only, and the account is not one",
}
"""By the status codes of XEP-0045, section 15.6."""
_FAILED = "333"
"""Removed because of a failure between servers, not by a person."""
_BY_CONDITION: Mapping[str, str] = {
    "forbidden": "The account was banned from this group.",
    "gone": "This group was closed.",
    "item-not-found": "This group was closed.",
    "registration-required": "The account is no longer a member of this group.",
}


def why_put_out(user: ET.Element, codes: Collection[str | None]) -> str | None:
    """Return why the account was removed, as a sentence for people; None if it has left, or may
    return."""
    closed = user.find(f"{MUC_USER}destroy")
    if closed is not None:
        elsewhere = closed.get("jid")
        sentence = f"{_BY_CONDITION['gone']} It continues as {elsewhere}." if elsewhere else ""
        return _with_reason(sentence or _BY_CONDITION["gone"], closed)
    said = next((said for code, said in _BY_CODE.items() if code in codes), None)
    if said is None or _FAILED in codes:
        return None
    item = f"{MUC_USER}item"
    who = attribute(user, f"{item}/{MUC_USER}actor", "nick")
    who = who or attribute(user, f"{item}/{MUC_USER}actor", "jid")
    return _with_reason(f"{said} (by {who})." if who else f"{said}.", user.find(item))


def why_refused(condition: str) -> str | None:
    """Return why a group does not let the account return; None for a temporary reason."""
    return _BY_CONDITION.get(condition)


def _with_reason(sentence: str, said_by: ET.Element | None) -> str:
    reason = "" if said_by is None else (said_by.findtext(f"{MUC_USER}reason") or "").strip()
    return f"{sentence} Reason: {reason}" if reason else sentence
