"""What a chat network can answer, mapped once at each driver's edge.

NetworkError                 permanent, retry_after, certain, value
├── InvalidAddressError      can be no address of this network (permanent)
├── RecipientNotFoundError   well-formed, and nobody has it (permanent)
├── NotConnectedError        no connection at the moment; try again when there is one
├── NoAnswerError            the network was asked and says nothing (not certain)
├── LoggedOutError           the account is no longer registered on the network
├── ReplacedError            another session of the account has taken this one's place
├── DriverFailedError        the driver raised what it must not (not certain)
├── RestrictedError          the network forbids the account to begin chats, `until` a time
├── BannedError              the network has banned the account, `until` a time or for good
├── PictureNotFoundError     no picture set, or hidden from us (permanent)
├── TooOldError              a change that the network no longer accepts (permanent)
├── FileUnavailableError     the gateway can't read the message's file at the moment
├── GroupNotFoundError       no group that this account is in (permanent)
├── ParticipantNotFoundError  nobody in the group has this address or number (permanent)
├── NotAllowedError          only an admin of the group may do this (permanent)
└── InviteError
    ├── InvalidInviteError   not the form of an invite link of this network
    ├── InviteNotFoundError  well-formed, and no group has it
    ├── InviteRevokedError
    ├── ApprovalRequiredError  asked to join; an admin must let us in
    └── AlreadyInGroupError
LeaseLostError               not the network's: this node no longer owns the account
"""

from datetime import datetime
from typing import ClassVar


class NetworkError(Exception):
    """The network said no, or nothing.

    `permanent` fails the message at once, else it is tried again, not before `retry_after` seconds.
    `certain` false means that the message may have gone out: it is retried under its same id.
    `value` is the one value of what was asked that is to blame, as the driver was given it: one
    participant of a new group. `str(error)` is a sentence for a person. `kind` is what the gateway
    stores of the class; a driver's subclass inherits it.
    """

    kind: ClassVar[str] = "NetworkError"
    permanent = False
    certain = True

    def __init__(
        self,
        reason: str,
        *,
        permanent: bool | None = None,
        retry_after: float | None = None,
        certain: bool | None = None,
        value: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.value = value
        if permanent is not None:
            self.permanent = permanent
        if certain is not None:
            self.certain = certain


class DriverFailedError(NetworkError):
    """The driver of `network` raised what the port does not allow when it was to do `what`."""

    certain = False

    def __init__(self, network: str, what: str, error: Exception) -> None:
        super().__init__(
            f"The driver of the network {network!r} failed to {what} ({type(error).__name__})."
        )


class InvalidAddressError(NetworkError):
    kind = "InvalidAddressError"
    permanent = True


class RecipientNotFoundError(NetworkError):
    kind = "RecipientNotFoundError"
    permanent = True


class NotConnectedError(NetworkError):
    kind = "NotConnectedError"


class NoAnswerError(NetworkError):
    kind = "NoAnswerError"
    certain = False


class LoggedOutError(NetworkError):
    kind = "LoggedOutError"


class ReplacedError(NetworkError):
    kind = "ReplacedError"


class BannedError(NetworkError):
    kind = "BannedError"

    def __init__(self, reason: str, *, until: datetime | None = None) -> None:
        super().__init__(reason)
        self.until = until


class RestrictedError(NetworkError):
    """The account may not write to people it has not talked with, until an aware time.

    None where the network does not tell until when: the gateway then takes 24 hours for it. The
    message is held, and is no attempt.

    Without a time, the gateway takes a refusal of somebody who has written for one of that person
    alone: the message is tried once more, some minutes later, and fails with `about_person`, a
    sentence that says what to do. The account is not restricted by it.
    """

    kind = "RestrictedError"

    def __init__(
        self, reason: str, *, until: datetime | None = None, about_person: str | None = None
    ) -> None:
        super().__init__(reason)
        self.until = until
        self.about_person = about_person


class PictureNotFoundError(NetworkError):
    kind = "PictureNotFoundError"
    permanent = True


class TooOldError(NetworkError):
    kind = "TooOldError"
    permanent = True


class FileUnavailableError(NetworkError):
    kind = "FileUnavailableError"


class GroupNotFoundError(NetworkError):
    kind = "GroupNotFoundError"
    permanent = True


class ParticipantNotFoundError(NetworkError):
    kind = "ParticipantNotFoundError"
    permanent = True


class NotAllowedError(NetworkError):
    kind = "NotAllowedError"
    permanent = True


class InviteError(NetworkError):
    kind = "InviteError"
    permanent = True


class InvalidInviteError(InviteError):
    kind = "InvalidInviteError"


class InviteNotFoundError(InviteError):
    kind = "InviteNotFoundError"


class InviteRevokedError(InviteError):
    kind = "InviteRevokedError"


class ApprovalRequiredError(InviteError):
    kind = "ApprovalRequiredError"


class AlreadyInGroupError(InviteError):
    """`remote_jid` is the group the account is already in."""

    kind = "AlreadyInGroupError"

    def __init__(self, reason: str, *, remote_jid: str) -> None:
        super().__init__(reason)
        self.remote_jid = remote_jid


class LeaseLostError(Exception):
    """This node no longer owns the account; whatever was being done for it must stop."""
