"""Remove an organization: nobody has access any more, and everything it owned is deleted.

It happens in steps, which a repeat continues: its webhooks are deleted, its devices removed, and
one transaction deletes its keys and members and marks it as removed. From then on it is treated as
nonexistent; the next night's clean-up deletes the rest (`upkeep.erasure`).
"""

from dataclasses import dataclass

from heliograph.core import topics
from heliograph.core.accounts.service import AccountService
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.organizations.service import OrganizationService
from heliograph.core.removals.organizations_sql import mark_removed
from heliograph.core.removals.service import RemovalService
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.errors import InvalidInputError
from heliograph.networks.port import AccountStatus

REMOVE = Write(scope="admin:write", unaudited="the audit log is erased with the organization")


@dataclass(eq=False)
class OrganizationRemovalService:
    _changes: Changes
    _organizations: OrganizationService
    _accounts: AccountService
    _webhooks: WebhookService
    _removals: RemovalService

    async def remove(self, name_or_id: str) -> Organization:
        """Remove an organization whose devices are all disconnected.

        Raises what `OrganizationService.get` raises, and `InvalidInputError` while a device is
        connected: its network has to be told first, and a busy organization is not
        removed by mistake.
        """
        organization = await self._organizations.get(name_or_id)
        principal = operator(organization.tenant)
        accounts = await self._accounts.list(principal)
        connected = [each for each in accounts if each.status is AccountStatus.CONNECTED]
        if connected:
            names = ", ".join(f"'{each.name}'" for each in connected[:5])
            raise InvalidInputError.at(
                ("organization",),
                f"Devices are still connected: {names}. Log them out first, with `heliograph "
                "accounts log-out` or in the dashboard.",
            )
        for webhook in await self._webhooks.list(principal):
            await self._webhooks.delete(principal, webhook.id)
        for account in accounts:
            await self._removals.remove(principal, account.id, account.name)
        await self._changes.run(REMOVE, principal, _mark_removed)
        return organization


async def _mark_removed(change: Change) -> None:
    if not await mark_removed(change.connection, change.tenant, change.now):
        raise InvalidInputError.at(
            ("organization",), "A device or a webhook was added meanwhile: try again."
        )
    change.wake(topics.API_KEYS, topics.live(change.tenant))
