"""What a job that was not completed means for its client."""

from typing import Any

from heliograph.core.jobs.model import Job, JobStatus
from heliograph.errors import (
    AlreadyInGroupError,
    ApprovalRequiredError,
    ChatAccountNotConnectedError,
    GatewayError,
    InvalidInputError,
    InviteRevokedError,
    JobUnknownError,
    NetworkRefusedError,
    NetworkSilentError,
    NotFoundError,
    PictureNotFoundError,
    RefusedForGoodError,
    StorageUnavailableError,
)

_COME_TO_NOTHING = (
    ChatAccountNotConnectedError,
    InvalidInputError,
    NetworkRefusedError,
    NetworkSilentError,
    StorageUnavailableError,
)


def has_come_to_nothing(error: BaseException) -> bool:
    """Whether the job is over and nothing was done, so that a repeat begins anew."""
    return isinstance(error, _COME_TO_NOTHING)


def job_error(job: Job) -> GatewayError | InvalidInputError:
    """The answer: 422 where a value of the request is to blame, 409 for another refusal for good,
    502 for one that may pass, 504 for silence. The network's own words are kept.
    """
    error = job.error or {}
    if job.status is JobStatus.UNKNOWN:
        return JobUnknownError()
    return _invalid(job, error) or _known(error) or _refused(error)


def _invalid(job: Job, error: dict[str, Any]) -> InvalidInputError | None:
    """The error of a value that the network alone can judge, if it named one."""
    if error.get("code") == "InvalidInviteError":
        link = job.request.get("invite_link")
        return InvalidInputError.at(("body", "invite_link"), error["reason"], input=link)
    given = job.request.get("given", {}).get(error.get("value"))
    if given is None or not error.get("permanent"):
        return None
    position, text = given
    return InvalidInputError.at(("body", "participants", position), error["reason"], input=text)


def _known(error: dict[str, Any]) -> GatewayError | None:
    """The error that has a code of its own."""
    match error.get("code"):
        case "InviteNotFoundError":
            return NotFoundError(error["reason"])
        case "InviteRevokedError":
            return InviteRevokedError()
        case "ApprovalRequiredError":
            return ApprovalRequiredError()
        case "AlreadyInGroupError":
            return AlreadyInGroupError(error.get("remote_jid", ""))
        case "PictureNotFoundError":
            return PictureNotFoundError()
        case "StorageUnavailableError":
            return StorageUnavailableError()
        case "NotConnectedError" | "LoggedOutError" | "BannedError":
            return ChatAccountNotConnectedError()
        case "NoAnswerError":
            return NetworkSilentError()
    return None


def _refused(error: dict[str, Any]) -> GatewayError:
    reason = error.get("reason", "")
    return RefusedForGoodError(reason) if error.get("permanent") else NetworkRefusedError(reason)
