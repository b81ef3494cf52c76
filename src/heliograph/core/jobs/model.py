"""Jobs: what is asked of an account's session and is not a message.

    pending → running → completed | failed | unknown
              running → pending     (its node died, and it is safe to repeat)

A job that may have had an effect when its node died is looked for on the network first; where
that can't tell, it ends `unknown` and is not repeated.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant


class JobKind(StrEnum):
    CREATE_GROUP = "create_group"
    JOIN_GROUP = "join_group"
    SYNC_CONTACTS = "sync_contacts"
    FETCH_PICTURE = "fetch_picture"
    LOG_OUT = "log_out"
    GET_GROUP = "get_group"
    ADD_PARTICIPANTS = "add_participants"
    REMOVE_PARTICIPANT = "remove_participant"
    CHANGE_GROUP = "change_group"
    GET_INVITE_LINK = "get_invite_link"
    LEAVE_GROUP = "leave_group"
    CHECK_NUMBERS = "check_numbers"
    SET_TYPING = "set_typing"
    MARK_READ = "mark_read"


SAFE_TO_REPEAT = frozenset(JobKind) - {JobKind.CREATE_GROUP, JobKind.JOIN_GROUP}


STORAGE_UNAVAILABLE = "StorageUnavailableError"
"""The `code` of a job's error when it was the gateway that could not store the result."""


class NewJob(msgspec.Struct, frozen=True):
    """`about` are the details of its entry in the audit log, where it gets one."""

    account_id: UUID
    kind: JobKind
    request: dict[str, Any]
    about: dict[str, Any] = {}

    @property
    def safe_to_repeat(self) -> bool:
        return self.kind in SAFE_TO_REPEAT


class JobStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def is_final(self) -> bool:
        return self in (JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.UNKNOWN)


class Job(msgspec.Struct, frozen=True):
    """One row of `jobs`.

    `result` and `error` are what the kind says. An error has `code` (the `kind` of an error of the
    driver port, or `STORAGE_UNAVAILABLE`), `reason`, a sentence for a person, whether it is
    `permanent`, and the `value` of the request that is to blame, if one is. The network is waited
    for until `deadline`.
    """

    tenant: Tenant
    id: UUID
    account_id: UUID
    kind: JobKind
    status: JobStatus
    safe_to_repeat: bool
    request: dict[str, Any]
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    claim_epoch: int | None
    created_at: datetime
    deadline: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def answer_timeout(self) -> float:
        """Seconds that the network has in all."""
        return (self.deadline - self.created_at).total_seconds()
