"""What to do next, for each error a tool can end with: a model acts on it as a person would."""

_ADVICE = {
    "other_organization": "Use an id of your own organization, from one of the tools that list.",
    "missing_scope": "Ask for a key with that scope (dashboard, Developers, Keys).",
    "not_found": "Check the id; list what there is first.",
    "conversation_not_found": "Take an id from list_conversations, or from a message's webhook.",
    "message_not_found": "Take the message_id that the send answered, or one of list_messages.",
    "contact_not_found": "Take the contact_id of a message or conversation.",
    "chat_account_not_found": "Take an id of list_devices.",
    "session_not_found": "Take a session_name of list_devices.",
    "picture_not_found": "There is nothing to show: go on without a picture.",
    "chat_account_not_connected": "See list_devices. When the device is pairing or logged out, a "
    "person must pair it in the dashboard under Devices; otherwise wait a few seconds and try "
    "again.",
    "no_chat_account": "A person must connect an account in the dashboard under Devices.",
    "idempotency_conflict": "Wait a second and repeat the same call.",
    "already_in_group": "Nothing is left to do: the account is in that group.",
    "approval_required": "Wait until an admin of the group lets the account in.",
    "not_supported_by_network": "Choose an account of another network, or do without.",
    "job_unknown": "Look on the network whether it was done; ask a person before you do it again.",
    "refused_for_good": "Read the reason: the same call will never work. Change it, or do without.",
    "invite_revoked": "Ask for a new invite link.",
    "too_many_secrets": "Wait until the time named above, or rotate without a grace period.",
    "rate_limited": "Wait for retry_after seconds, then try again.",
    "plan_limit_reached": "Wait until resets_at, or ask the operator for another plan.",
    "network_refused": "Read the reason; trying again can help once what it names has changed.",
    "network_timeout": "Repeat with the same idempotency_key: it waits for the result.",
    "unavailable": "Wait for retry_after seconds, then repeat with the same idempotency_key.",
    "invalid_input": "Correct the values named above; the tool's input schema has the rules.",
    "network_error": "Look at list_phones for who is there, and at read_phone for what can be "
    "pressed.",
    "internal_error": "Try once more. If it fails again, tell the operator the request id.",
}


OTHERWISE = "Read what it says."
"""For a code of another version, kept under an idempotency key while nodes were being updated."""


def advise(code: str) -> str:
    """One sentence or two."""
    return _ADVICE.get(code, OTHERWISE)
