"""The groups that a phone shows.

Phones are each account's own, groups are the network's: a phone shows the groups that it has made,
with their invite links, and those that its account is in, too. Other accounts' phones may have the
same number, and be in groups of which this one must not know.
"""

from collections.abc import Sequence
from uuid import UUID

from heliograph.networks.port import SimulatedGroup, SimulatedInvite
from heliograph.networks.sandbox import addresses
from heliograph.networks.sandbox.database import Database

MOST = 50


async def list_groups(
    database: Database, account_id: UUID, account_jid: str, phone_jid: str
) -> list[SimulatedGroup]:
    """The newest groups that the phone is in, by their age, the newest first."""
    rows = await database.fetch(
        """
        SELECT g.jid, g.subject,
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
        """,
        account_id,
        account_jid,
        phone_jid,
        MOST,
    )
    invites = await _list_invites(database, [row["jid"] for row in rows if row["is_owner"]])
    return [
        SimulatedGroup(
            remote_jid=row["jid"],
            subject=row["subject"],
            has_account=row["has_account"],
            is_asked=row["is_asked"],
            invites=tuple(invites.get(row["jid"], ())),
        )
        for row in rows
    ]


async def _list_invites(
    database: Database, group_jids: Sequence[str]
) -> dict[str, list[SimulatedInvite]]:
    found: dict[str, list[SimulatedInvite]] = {}
    if not group_jids:
        return found
    rows = await database.fetch(
        """
        SELECT code, group_jid, approval, revoked FROM sandbox.invites
        WHERE group_jid = ANY($1) ORDER BY revoked, code
        """,
        group_jids,
    )
    for row in rows:
        link = addresses.invite_link(row["code"])
        invite = SimulatedInvite(link, row["approval"], row["revoked"])
        found.setdefault(row["group_jid"], []).append(invite)
    return found
