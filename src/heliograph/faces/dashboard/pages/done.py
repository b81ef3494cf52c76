"""What a page says after something was done: `?done=` in its address names the sentence, so that no
address can make a page say anything else."""

from collections.abc import Mapping

DONE: Mapping[str, str] = {
    "again": "It is being sent again.",
    "canceled": "Canceled.",
    "connecting": "Reconnecting.",
    "created": "Created.",
    "deleted": "Deleted.",
    "disabled": "Disabled. Nothing more is posted to it.",
    "enabled": "Enabled.",
    "ended": "Ended. That browser has to sign in again.",
    "invited": "Invited. Send the link below.",
    "logged-out": "Logged out.",
    "member-already": "You have already joined this organization.",
    "member-as-before": "You are already a member of this organization; your role is unchanged.",
    "others-ended": "Ended. All other browsers have to sign in again.",
    "removed": "Removed.",
    "revoked": "Revoked.",
    "saved": "Saved.",
    "sent": "Sent.",
    "snoozed": "Snoozed. It comes back by itself.",
    "deleting": "The message is being deleted for everyone.",
    "unread": "Marked as unread.",
}
