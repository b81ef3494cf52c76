"""What an account does with groups that it is in: people, subject, link, leaving.

The owner alone may change a group. When the owner leaves, the member with the first address
owns it.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec.structs import replace

from heliograph.networks.errors import (
    GroupNotFoundError,
    NetworkError,
    NotAllowedError,
    ParticipantNotFoundError,
)
from heliograph.networks.participants import find_participant
from heliograph.networks.port import GroupDetails, Participant
from heliograph.networks.sandbox import addresses, groups
from heliograph.networks.sandbox.database_access import Database, NetworkDatabase
from heliograph.platform.database.rows import reads

GET_MEMBERS = """
SELECT m.jid AS remote_jid, p.name, p.chat_name,
       CASE WHEN m.jid = g.owner_jid THEN 'owner' ELSE 'member' END AS role
FROM sandbox.members m JOIN sandbox.groups g ON g.jid = m.group_jid
LEFT JOIN sandbox.phones p ON p.account_id = $1 AND p.jid = m.jid
WHERE m.group_jid = $2 ORDER BY m.jid
"""
_participant_of = reads(
    Participant,
    phone_number=lambda row: addresses.phone_number(row["remote_jid"]),
    name=lambda row: row["name"] or row["chat_name"],
)
_details_of = reads(GroupDetails, participants=lambda _: ())
GET_DETAILS = "SELECT *, jid AS remote_jid FROM sandbox.groups WHERE jid = $1"


async def get_details(
    database: Database, account_id: UUID, account_jid: str, group_jid: str
) -> GroupDetails:
    """Return the group. Raises `GroupNotFoundError` for one that the account is not in."""
    row = await database.fetchrow(GET_DETAILS, group_jid)
    members = await database.fetch(GET_MEMBERS, account_id, group_jid)
    if row is None or account_jid not in (member["remote_jid"] for member in members):
        raise GroupNotFoundError(f"The account is in no group {group_jid}.")
    return replace(_details_of(row), participants=tuple(map(_participant_of, members)))


async def require_owned(
    database: Database, account_id: UUID, account_jid: str, group_jid: str
) -> GroupDetails:
    """Return the group. Raises `GroupNotFoundError`, and `NotAllowedError` unless the account owns
    it."""
    group = await get_details(database, account_id, account_jid, group_jid)
    if group.owner_jid != account_jid:
        raise NotAllowedError(f"Only the owner of the group {group.subject!r} may do this.")
    return group


INSERT_MEMBERS = """
INSERT INTO sandbox.members (group_jid, jid)
SELECT $1, jid FROM unnest($2::text[]) AS i(jid) ON CONFLICT DO NOTHING
"""


async def add_members(
    database: Database, group: GroupDetails, participants: Sequence[str]
) -> Mapping[str, str]:
    """Add people. Return the reason for each who can't be added, by address."""
    refused = {}
    for jid in participants:
        try:
            groups.check_participant(jid)
        except NetworkError as error:
            refused[jid] = error.reason
    added = [
        jid
        for jid in groups.one_of_each(participants)
        if jid not in refused and _member(group, jid) is None
    ]
    await database.execute(INSERT_MEMBERS, group.remote_jid, sorted(added))
    return refused


DELETE_MEMBER = "DELETE FROM sandbox.members WHERE group_jid = $1 AND jid = $2"


async def remove_member(database: Database, group: GroupDetails, participant: str) -> None:
    """Remove somebody. Raises `ParticipantNotFoundError` for somebody who is not in the group, and
    `NotAllowedError` for the owner, who can only leave it."""
    member = _member(group, participant)
    if member is None:
        who = addresses.phone_number(participant) or participant
        raise ParticipantNotFoundError(f"{who} is not in the group {group.subject!r}.")
    if member.remote_jid == group.owner_jid:
        raise NotAllowedError("The group's owner can't be removed; they can leave it.")
    await database.execute(DELETE_MEMBER, group.remote_jid, member.remote_jid)


def _member(group: GroupDetails, jid: str) -> Participant | None:
    return find_participant(group.participants, jid, addresses.phone_number(jid))


CHANGE_GROUP = """
UPDATE sandbox.groups SET subject = coalesce($2, subject), description = coalesce($3, description)
WHERE jid = $1
"""


async def change(
    database: Database, group: GroupDetails, subject: str | None, description: str | None
) -> None:
    await database.execute(CHANGE_GROUP, group.remote_jid, subject, description)


FIND_LINK = """
SELECT code FROM sandbox.invites
WHERE group_jid = $1 AND NOT revoked AND NOT approval ORDER BY code LIMIT 1
"""


async def get_link(database: Database, group: GroupDetails) -> str:
    """Return a link into the group, the same until it is revoked."""
    code = await database.fetchval(FIND_LINK, group.remote_jid)
    if code is None:
        return await groups.insert_invite(database, group.remote_jid, approval=False)
    return addresses.invite_link(code)


CHANGE_OWNER = """
UPDATE sandbox.groups SET owner_jid = m.jid
FROM (SELECT jid FROM sandbox.members WHERE group_jid = $1 ORDER BY jid LIMIT 1) m
WHERE groups.jid = $1 AND owner_jid = $2
"""


async def leave(database: NetworkDatabase, group: GroupDetails, account_jid: str) -> None:
    async with database.transaction() as connection:
        await connection.execute(DELETE_MEMBER, group.remote_jid, account_jid)
        await connection.execute(CHANGE_OWNER, group.remote_jid, account_jid)


TELL_ACCOUNTS = """
INSERT INTO sandbox.updates (account_id, chat_jid, chat_message_id, kind, due_at)
SELECT d.account_id, m.group_jid, '', 'group', '-infinity'
FROM sandbox.members m JOIN sandbox.devices d ON d.jid = m.jid AND d.status = 'active'
WHERE m.group_jid = $1 AND d.account_id <> $2
RETURNING account_id
"""


async def tell_accounts(database: Database, group_jid: str, but: UUID) -> list[UUID]:
    """Put the group, as it is now, into the mailboxes of all other accounts in it; returns them."""
    rows = await database.fetch(TELL_ACCOUNTS, group_jid, but)
    return [row["account_id"] for row in rows]
