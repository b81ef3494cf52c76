"""What a chat network can answer, mapped once at each driver's edge.

NetworkError                 permanent, retry_after, certain, value
├── InvalidAddressError      can be no address of this network (permanent)
├── RecipientNotFoundError   well-formed, and nobody has it (permanent)
├── NotConnectedError        no connection at the moment; try again when there is one
├── NoAnswerError            the network was asked and says nothing (not certain)
├── LoggedOutError           the account is no longer registered on the network
├── ReplacedError            another session of the account has taken this one's place
├── BannedError              the network has banned the account, `until` a time or for good
├── PictureNotFoundError     no picture set, or hidden from us (permanent)
└── InviteError
    ├── InvalidInviteError   not the form of an invite link of this network
    ├── InviteNotFoundError  well-formed, and no group has it
    ├── InviteRevokedError
    ├── ApprovalRequiredError  asked to join; an admin must let us in
    └── AlreadyInGroupError
LeaseLostError               not the network's: this node no longer owns the account
"""

from datetime import datetime


class NetworkError(Exception):
    """The network said no, or nothing.

    `permanent` fails the message at once, else it is tried again, not before `retry_after` seconds.
    `certain` false means that the message may have gone out: it is retried under its same id.
    `value` is the one value of what was asked that is to blame, as the driver was given it: one
    participant of a new group. `str(error)` is a sentence for a person.
    """

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


class InvalidAddressError(NetworkError):
    permanent = True


class RecipientNotFoundError(NetworkError):
    permanent = True


class NotConnectedError(NetworkError):
    pass


class NoAnswerError(NetworkError):
    certain = False


class LoggedOutError(NetworkError):
    pass


class ReplacedError(NetworkError):
    pass


class BannedError(NetworkError):
    def __init__(self, reason: str, *, until: datetime | None = None) -> None:
        super().__init__(reason)
        self.until = until


class PictureNotFoundError(NetworkError):
    permanent = True


class InviteError(NetworkError):
    permanent = True


class InvalidInviteError(InviteError):
    pass


class InviteNotFoundError(InviteError):
    pass


class InviteRevokedError(InviteError):
    pass


class ApprovalRequiredError(InviteError):
    pass


class AlreadyInGroupError(InviteError):
    """`remote_jid` is the group the account is already in."""

    def __init__(self, reason: str, *, remote_jid: str) -> None:
        super().__init__(reason)
        self.remote_jid = remote_jid


class LeaseLostError(Exception):
    """This node no longer owns the account; whatever was being done for it must stop."""
