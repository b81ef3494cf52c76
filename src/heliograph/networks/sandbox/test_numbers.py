"""Phones that misbehave on request, recognized by their numbers.

`docs/networks/sandbox.md` shows the same numbers; a test keeps both in step.
"""

from enum import StrEnum

from heliograph.networks.sandbox.addresses import PHONE_SERVER


class Misbehavior(StrEnum):
    """What a phone does that an ordinary one does not; the value is shown as its note.

    Numbers are assigned in this order, so a new one comes last.
    """

    GONE = "not on the network"
    SLOW = "takes 3 seconds to accept a message"
    FLAKY = "fails twice, accepts the third attempt"
    UNCERTAIN = "accepts, but the answer is lost"
    UNDELIVERED = "never gets its messages"
    UNREAD = "never reports that it has read a message"
    BANS = "writing to it bans the account"
    OFFLINE = "switched off at first"
    NO_GROUPS = "can't be added to a group"
    HIDDEN_PICTURE = "hides its picture"
    NO_PICTURE = "has no picture"
    THROTTLED = "refuses the first attempt for 2 seconds"
    BLOCKED = "has blocked the account"
    FAILS_LATER = "accepts, then reports a failure"
    HARMFUL_PICTURE = "has a script for a picture"
    HUGE_PICTURE = "has a picture of 12 million pixels, a new one each time"


NUMBERS = {str(number): magic for number, magic in enumerate(Misbehavior, 15550109001)}

NEVER_ARRIVES = frozenset({Misbehavior.UNDELIVERED, Misbehavior.FAILS_LATER})
"""Phones that show nothing of what was sent to them."""

FLAKY_FAILURES = 2
THROTTLED_FAILURES = 1
RETRY_INTERVAL = 2.0

_BY_JID = {f"{digits}@{PHONE_SERVER}": magic for digits, magic in NUMBERS.items()}


def misbehavior_of(jid: str) -> Misbehavior | None:
    return _BY_JID.get(jid)


MAGIC_JIDS = tuple(_BY_JID)
