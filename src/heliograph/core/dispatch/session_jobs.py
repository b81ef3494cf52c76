"""Jobs about groups, numbers and presence: the session methods they call, and their outcomes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec.structs import asdict

from heliograph.core.ingest.model import JobEnded
from heliograph.core.ingest.storable import clean
from heliograph.core.jobs.model import Job, JobKind, JobStatus
from heliograph.networks.port import (
    GroupDetails,
    GroupManagement,
    GroupSeen,
    NumberChecks,
    ReadMarks,
    Session,
    Typing,
)
from heliograph.platform.characters import visible_name

Work = Callable[[Any, Job], Awaitable[JobEnded]]


async def _get_group(session: GroupManagement, job: Job) -> JobEnded:
    return _ended_with_details(job, await session.get_group(job.request["remote_jid"]))


async def _add_participants(session: GroupManagement, job: Job) -> JobEnded:
    asked: list[str] = job.request["participants"]
    refused = await session.add_participants(job.request["remote_jid"], asked)
    reasons = {jid: clean(reason) for jid, reason in refused.items()}
    return JobEnded(job, JobStatus.COMPLETED, {"participants": asked, "refused": reasons})


async def _remove_participant(session: GroupManagement, job: Job) -> JobEnded:
    await session.remove_participant(job.request["remote_jid"], job.request["participant"])
    return JobEnded(job, JobStatus.COMPLETED)


async def _change_group(session: GroupManagement, job: Job) -> JobEnded:
    request = job.request
    await session.change_group(
        request["remote_jid"], subject=request["subject"], description=request["description"]
    )
    return await _get_group(session, job)


async def _get_invite_link(session: GroupManagement, job: Job) -> JobEnded:
    link = await session.get_invite_link(job.request["remote_jid"])
    return JobEnded(job, JobStatus.COMPLETED, {"invite_link": clean(link)})


async def _leave_group(session: GroupManagement, job: Job) -> JobEnded:
    await session.leave_group(job.request["remote_jid"])
    return JobEnded(job, JobStatus.COMPLETED)


async def _check_numbers(session: NumberChecks, job: Job) -> JobEnded:
    found = await session.check_numbers(job.request["phone_numbers"])
    numbers = [asdict(check) for check in found]
    return JobEnded(job, JobStatus.COMPLETED, {"numbers": numbers})


async def _set_typing(session: Typing, job: Job) -> JobEnded:
    await session.set_typing(job.request["remote_jid"], job.request["is_typing"])
    return JobEnded(job, JobStatus.COMPLETED)


async def _mark_read(session: ReadMarks, job: Job) -> JobEnded:
    messages = [(message_id, sender) for message_id, sender in job.request["messages"]]
    await session.mark_read(job.request["remote_jid"], messages)
    return JobEnded(job, JobStatus.COMPLETED)


_WORK: Mapping[JobKind, tuple[Any, Work]] = {
    JobKind.GET_GROUP: (GroupManagement, _get_group),
    JobKind.ADD_PARTICIPANTS: (GroupManagement, _add_participants),
    JobKind.REMOVE_PARTICIPANT: (GroupManagement, _remove_participant),
    JobKind.CHANGE_GROUP: (GroupManagement, _change_group),
    JobKind.GET_INVITE_LINK: (GroupManagement, _get_invite_link),
    JobKind.LEAVE_GROUP: (GroupManagement, _leave_group),
    JobKind.CHECK_NUMBERS: (NumberChecks, _check_numbers),
    JobKind.SET_TYPING: (Typing, _set_typing),
    JobKind.MARK_READ: (ReadMarks, _mark_read),
}
"""The session capability that each kind of job needs."""


def find_work(job: Job, session: Session) -> Awaitable[JobEnded] | None:
    """Return the work that does the job over this session, or None if the session can't do it."""
    part, work = _WORK.get(job.kind, (None, None))
    if part is None or work is None or not isinstance(session, part):
        return None
    return work(session, job)


def _ended_with_details(job: Job, group: GroupDetails) -> JobEnded:
    created_at = group.created_at
    result = {
        "remote_jid": group.remote_jid,
        "subject": clean(group.subject),
        "description": clean(group.description),
        "owner_jid": group.owner_jid,
        "created_at": created_at and created_at.isoformat().replace("+00:00", "Z"),
        "participants": [
            asdict(participant) | {"name": visible_name(clean(participant.name))}
            for participant in group.participants
        ],
    }
    seen = GroupSeen(
        group.remote_jid,
        clean(group.subject),
        group.owner_jid,
        created_at,
        tuple(participant.remote_jid for participant in group.participants),
    )
    return JobEnded(job, JobStatus.COMPLETED, result, group=seen)
