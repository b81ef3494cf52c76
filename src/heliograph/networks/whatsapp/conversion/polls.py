"""Polls and votes.

A vote names the answers by their hashes, and is encrypted with a secret that the poll has brought
(whatsmeow's `msgsecret.go`).
"""

import hashlib
from typing import Any

from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    Message,
    MessageContextInfo,
    PollCreationMessage,
    PollVoteMessage,
)

from heliograph.networks.content import Content, Poll, PollVote, Text


def poll_to_send(content: Poll, secret: bytes) -> Message:
    """Return the poll; votes are encrypted with the `secret`."""
    options = [PollCreationMessage.Option(optionName=option) for option in content.options]
    return Message(
        pollCreationMessage=PollCreationMessage(
            name=content.question, options=options, selectableOptionsCount=content.max_choices
        ),
        messageContextInfo=MessageContextInfo(messageSecret=secret),
    )


def poll_in(message: Message) -> PollCreationMessage | None:
    """Return the poll in an unwrapped message, or None."""
    parts = (part for _, part in message.ListFields())
    return next((part for part in parts if isinstance(part, PollCreationMessage)), None)


def poll_of(part: Any) -> Content | None:
    """Return a poll's content; a text for one without answers."""
    options = tuple(option.optionName for option in part.options if option.optionName)
    if not options:
        return Text(part.name) if part.name else None
    most = part.selectableOptionsCount  # 0 is any number
    return Poll(part.name, options, min(most, len(options)) if most else len(options))


def vote_of(vote: PollVoteMessage, poll: PollCreationMessage) -> PollVote:
    """Return the answers that a decrypted vote chose; unknown ones are left out."""
    chosen = set(vote.selectedOptions)
    options = [option.optionName for option in poll.options if option.optionName]
    return PollVote(tuple(option for option in options if option_hash(option) in chosen))


def option_hash(option: str) -> bytes:
    return hashlib.sha256(option.encode()).digest()
