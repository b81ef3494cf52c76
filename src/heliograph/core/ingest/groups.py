"""Groups: stores them as networks report them, and adds events when their subjects change."""

from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.core.inbox import conversations_sql
from heliograph.core.inbox.events import add_conversation_event
from heliograph.core.ingest.model import (
    ChatKey,
    JobEnded,
    RenamedGroup,
    Report,
    ReportedEvent,
    WorkingSet,
)
from heliograph.core.tenants.model import Author, Tenant
from heliograph.networks.port import GroupSeen, Inbound
from heliograph.platform.database.pool import Connection


async def store_groups(connection: Connection, working_set: WorkingSet) -> None:
    """Store the reported groups, and note which of them have a new subject."""
    seen = _groups_seen(working_set)
    if not seen:
        return
    keys = [
        (report.tenant.organization_id, report.account_id, group.remote_jid)
        for report, group in seen
    ]
    subjects = await conversations_sql.list_subjects(connection, working_set.shards, keys)
    for report, group in seen:
        key = (report.account_id, group.remote_jid)
        if subjects.get(key) != group.subject:
            working_set.renamed_groups[key] = RenamedGroup(subjects.get(key), group.subject)
        working_set.groups[key] = await conversations_sql.upsert_group(
            connection,
            report.tenant,
            report.account_id,
            group,
            working_set.clock.new_id(),
            working_set.now,
        )


def _groups_seen(working_set: WorkingSet) -> list[tuple[Report, GroupSeen]]:
    """List each group once, in key order, as it was last reported. Repeated messages are ignored,
    as they do not show the present state."""
    seen: dict[tuple[Tenant, UUID, str], tuple[Report, GroupSeen]] = {}
    for position, report in enumerate(working_set.reports):
        comes_again = isinstance(report.event, Inbound) and not working_set.is_new(position)
        group = None if comes_again else _group_of(report.event)
        if group is not None:
            key = (report.tenant, report.account_id, group.remote_jid)
            known = seen.get(key)
            seen[key] = (report, _merged_group(known[1], group) if known else group)
    return [seen[key] for key in sorted(seen)]


def add_renamed_groups(working_set: WorkingSet) -> None:
    """Add events for renamed groups, except for those whose conversation begins now."""
    authors = _authors(working_set)
    for key, renamed in working_set.renamed_groups.items():
        conversation = working_set.conversations.get(key)
        if conversation is None or conversation.created_at == working_set.now:
            continue
        before = replace(conversation, group_subject=renamed.before)
        after = replace(conversation, group_subject=renamed.after)
        add_conversation_event(working_set.events, before, after, authors.get(key))


def _authors(working_set: WorkingSet) -> dict[ChatKey, Author]:
    """Return who requested changes of groups, for those that were requested here."""
    authors = {}
    for report in working_set.reports:
        event = report.event
        if isinstance(event, JobEnded) and event.group is not None:
            asked_by = event.job.request.get("changed_by")
            if asked_by is not None:
                key = (report.account_id, event.group.remote_jid)
                authors[key] = msgspec.convert(asked_by, Author)
    return authors


def _merged_group(earlier: GroupSeen, later: GroupSeen) -> GroupSeen:
    """Merge both; where they differ, the later one wins."""
    return replace(
        later,
        owner_jid=later.owner_jid or earlier.owner_jid,
        created_at=later.created_at or earlier.created_at,
        participants=later.participants or earlier.participants,
    )


def _group_of(event: ReportedEvent) -> GroupSeen | None:
    if isinstance(event, GroupSeen):
        return event
    if isinstance(event, JobEnded):
        return event.group
    if isinstance(event, Inbound) and event.is_group and event.group_subject is not None:
        return GroupSeen(event.chat_jid, event.group_subject)
    return None
