"""Groups: members, invite links, requests to join."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.networks.errors import (
    AlreadyInGroupError,
    ApprovalRequiredError,
    InviteNotFoundError,
    InviteRevokedError,
    NetworkError,
    RecipientNotFoundError,
)
from heliograph.networks.phone_numbers import forms_of
from heliograph.networks.port import GroupSeen, SimulatedGroup, SimulatedInvite
from heliograph.networks.sandbox import addresses
from heliograph.networks.sandbox.database_access import Database
from heliograph.networks.sandbox.test_numbers import Misbehavior, misbehavior_of
from heliograph.platform.database.rows import reads


class Room(msgspec.Struct, frozen=True):
    """A group's members, and which accounts of this network are among them."""

    members: frozenset[str]
    accounts: tuple[UUID, ...]


class GroupInvite(msgspec.Struct, frozen=True):
    code: str
    group_jid: str
    approval: bool
    revoked: bool


FIND_ROOMS = """
SELECT m.group_jid, array_agg(m.jid) AS members,
       array_agg(d.account_id) FILTER (WHERE d.status = 'active') AS accounts
FROM sandbox.members m LEFT JOIN sandbox.devices d ON d.jid = m.jid
WHERE m.group_jid = ANY($1) GROUP BY m.group_jid
"""


async def find_rooms(database: Database, jids: Collection[str]) -> dict[str, Room]:
    """Find the groups among these JIDs, by JID; one that does not exist is left out."""
    wanted = [jid for jid in jids if addresses.is_group(jid)]
    if not wanted:
        return {}
    rows = await database.fetch(FIND_ROOMS, wanted)
    return {
        row["group_jid"]: Room(frozenset(row["members"]), tuple(row["accounts"] or ()))
        for row in rows
    }


CREATE_GROUP = """
WITH made AS (
    INSERT INTO sandbox.groups (jid, subject, owner_jid, created_at, account_id)
    VALUES ($1, $2, $3, $4, $6) RETURNING jid
)
INSERT INTO sandbox.members (group_jid, jid)
SELECT made.jid, member FROM made CROSS JOIN unnest($5::text[]) AS i(member)
"""


async def create_group(
    database: Database,
    subject: str,
    owner_jid: str,
    participants: Sequence[str],
    now: datetime,
    *,
    account_id: UUID | None = None,
) -> GroupSeen:
    """Make a group. `account_id` is the account on whose phone it is made, if on one.

    Raises `RecipientNotFoundError` and `NetworkError` for people who can't be added.
    """
    for jid in participants:
        check_participant(jid)
    group_jid = addresses.new_group_jid()
    members = sorted(one_of_each([owner_jid, *participants]))
    await database.execute(CREATE_GROUP, group_jid, subject, owner_jid, now, members, account_id)
    return GroupSeen(group_jid, subject, owner_jid, now, tuple(members))


def one_of_each(jids: Sequence[str]) -> list[str]:
    """Return the addresses without repeats: of two forms of one number, the first."""
    kept: dict[str, str] = {}
    for jid in jids:
        number = addresses.phone_number(jid) or jid
        if not any(form in kept for form in forms_of(number)):
            kept[number] = jid
    return list(kept.values())


def check_participant(jid: str) -> None:
    """Raise `RecipientNotFoundError` and `NetworkError` for those who can't be in a group."""
    if addresses.is_group(jid):
        raise NetworkError(f"{jid} is a group and can't join one.", permanent=True, value=jid)
    number = addresses.phone_number(jid)
    match misbehavior_of(jid):
        case Misbehavior.GONE:
            raise RecipientNotFoundError(f"{number} is not on the network.", value=jid)
        case Misbehavior.NO_GROUPS:
            raise NetworkError(
                f"{number} does not let this account add them to a group.",
                permanent=True,
                value=jid,
            )


group_seen = reads(GroupSeen, participants=lambda row: tuple(row["participants"]))
GET_GROUP = """
SELECT g.jid AS remote_jid, g.subject, g.owner_jid, g.created_at,
       array(SELECT m.jid FROM sandbox.members m WHERE m.group_jid = g.jid ORDER BY m.jid)
           AS participants
FROM sandbox.groups g WHERE g.jid = $1
"""


async def get_group(database: Database, group_jid: str) -> GroupSeen:
    row = await database.fetchrow(GET_GROUP, group_jid)
    if row is None:
        raise NetworkError(f"There is no group {group_jid}.", permanent=True)
    return group_seen(row)


FIND_OWNED = """
SELECT jid FROM sandbox.groups
WHERE owner_jid = $1 AND subject = $2 AND created_at >= $3
ORDER BY created_at LIMIT 1
"""


async def find_owned(
    database: Database, owner_jid: str, subject: str, since: datetime
) -> GroupSeen | None:
    """Find the first group of this subject and owner made at or after `since`."""
    group_jid = await database.fetchval(FIND_OWNED, owner_jid, subject, since)
    return None if group_jid is None else await get_group(database, group_jid)


INSERT_INVITE = "INSERT INTO sandbox.invites (code, group_jid, approval) VALUES ($1, $2, $3)"


async def insert_invite(database: Database, group_jid: str, *, approval: bool) -> str:
    """Make a link into the group."""
    code = addresses.new_invite_code()
    await database.execute(INSERT_INVITE, code, group_jid, approval)
    return addresses.invite_link(code)


_invite_of = reads(GroupInvite)
GET_INVITE = "SELECT * FROM sandbox.invites WHERE code = $1"


async def get_invite(database: Database, link: str) -> GroupInvite:
    """Return the invite of a link. Raises `InvalidInviteError` and `InviteNotFoundError`."""
    row = await database.fetchrow(GET_INVITE, addresses.invite_code(link))
    if row is None:
        raise InviteNotFoundError("No group has this invite link.")
    return _invite_of(row)


REVOKE_INVITE = "UPDATE sandbox.invites SET revoked = true WHERE code = $1"


async def revoke_invite(database: Database, link: str) -> None:
    invite = await get_invite(database, link)
    await database.execute(REVOKE_INVITE, invite.code)


ASK_TO_JOIN = """
INSERT INTO sandbox.join_requests (group_jid, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING
"""


async def join_group(database: Database, account_id: UUID, jid: str, link: str) -> GroupSeen:
    """Follow an invite link. Raises the matching `InviteError`."""
    invite = await get_invite(database, link)
    if invite.revoked:
        raise InviteRevokedError("This invite link has been revoked.")
    group = await get_group(database, invite.group_jid)
    if jid in group.participants:
        raise AlreadyInGroupError(
            f"The account is already in the group {group.subject!r}.", remote_jid=group.remote_jid
        )
    if invite.approval:
        await database.execute(ASK_TO_JOIN, group.remote_jid, account_id)
        raise ApprovalRequiredError(f"An admin of {group.subject!r} must let the account in.")
    await insert_member(database, group.remote_jid, jid)
    return await get_group(database, group.remote_jid)


INSERT_MEMBER = """
INSERT INTO sandbox.members (group_jid, jid) VALUES ($1, $2) ON CONFLICT DO NOTHING
"""


async def insert_member(database: Database, group_jid: str, jid: str) -> None:
    await database.execute(INSERT_MEMBER, group_jid, jid)


APPROVE = """
WITH asked AS (
    DELETE FROM sandbox.join_requests WHERE group_jid = $1 AND account_id = $2
    RETURNING group_jid, account_id
), joined AS (
    INSERT INTO sandbox.members (group_jid, jid)
    SELECT a.group_jid, d.jid FROM asked a JOIN sandbox.devices d USING (account_id)
    ON CONFLICT DO NOTHING
), told AS (
    INSERT INTO sandbox.updates (account_id, chat_jid, chat_message_id, kind, due_at)
    SELECT account_id, group_jid, '', 'group', '-infinity' FROM asked
)
SELECT count(*) FROM asked
"""


async def approve(database: Database, account_id: UUID, link: str) -> GroupSeen:
    """Let the account in, as the group's owner; the account gets a `GroupSeen` through its mailbox.

    Raises `NetworkError` when the account has not asked.
    """
    invite = await get_invite(database, link)
    asked = await database.fetchval(APPROVE, invite.group_jid, account_id)
    if not asked:
        raise NetworkError("The account has not asked to join this group.", permanent=True)
    return await get_group(database, invite.group_jid)


MAX_SHOWN = 50
"""How many groups a phone shows."""


_shown_group_of = reads(SimulatedGroup, invites=lambda _: ())
LIST_GROUPS = """
SELECT g.jid AS remote_jid, g.subject,
       coalesce(g.account_id = $1 AND g.owner_jid = $3, false) AS is_owner,
       EXISTS (SELECT FROM sandbox.members a WHERE a.group_jid = g.jid AND a.jid = $2)
           AS has_account,
       EXISTS (SELECT FROM sandbox.join_requests r
               WHERE r.group_jid = g.jid AND r.account_id = $1) AS is_asked
FROM sandbox.groups g
WHERE g.jid IN (
    SELECT jid FROM sandbox.groups WHERE account_id = $1
    UNION SELECT group_jid FROM sandbox.members WHERE jid = $2
) AND EXISTS (SELECT FROM sandbox.members p WHERE p.group_jid = g.jid AND p.jid = $3)
ORDER BY g.created_at DESC, g.jid LIMIT $4
"""


async def list_groups(
    database: Database, account_id: UUID, account_jid: str, phone_jid: str
) -> list[SimulatedGroup]:
    """List the newest groups that a phone shows, the newest first.

    Phones belong to an account, groups to the network: a phone shows the groups that it made, with
    their invite links, and those that its account is in as well. Another account's phone may have
    the same number, and be in groups that this one must not know of.
    """
    rows = await database.fetch(LIST_GROUPS, account_id, account_jid, phone_jid, MAX_SHOWN)
    groups = [_shown_group_of(row) for row in rows]
    invites = await _list_invites(database, [row["remote_jid"] for row in rows if row["is_owner"]])
    return [
        msgspec.structs.replace(group, invites=tuple(invites[group.remote_jid])) for group in groups
    ]


_shown_invite_of = reads(SimulatedInvite, link=lambda row: addresses.invite_link(row["code"]))
LIST_INVITES = "SELECT * FROM sandbox.invites WHERE group_jid = ANY($1) ORDER BY revoked, code"


async def _list_invites(
    database: Database, group_jids: Sequence[str]
) -> defaultdict[str, list[SimulatedInvite]]:
    found: defaultdict[str, list[SimulatedInvite]] = defaultdict(list)
    for row in await database.fetch(LIST_INVITES, group_jids) if group_jids else ():
        found[row["group_jid"]].append(_shown_invite_of(row))
    return found
