"""The sandbox as the gateway sees it: one `Network`."""

from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from heliograph.networks import port
from heliograph.networks.content import INPUTS
from heliograph.networks.sandbox import addresses, removal
from heliograph.networks.sandbox.changes import MAX_DELETE_AGE, MAX_EDIT_AGE
from heliograph.networks.sandbox.connection import Pace, SessionResources
from heliograph.networks.sandbox.database_access import NetworkDatabase
from heliograph.networks.sandbox.files import MAX_BYTES
from heliograph.networks.sandbox.mailbox import Mailbox
from heliograph.networks.sandbox.options import FORM, read_options
from heliograph.networks.sandbox.outbox import Outbox
from heliograph.networks.sandbox.session import SandboxSession
from heliograph.networks.sandbox.simulator import Arrivals, SandboxSimulator


class SandboxNetwork(port.Network):
    """Virtual phones in the gateway's own database."""

    name = "sandbox"
    title = "Sandbox (virtual phones)"
    capabilities = port.Capabilities(
        content=frozenset(INPUTS),
        changes=frozenset({"edited", "deleted", "reaction"}),
        edit_seconds=MAX_EDIT_AGE,
        delete_seconds=MAX_DELETE_AGE,
        replies=True,
        mentions=True,
        create_group=True,
        join_group=True,
        manage_groups=True,
        contacts=True,
        number_checks=True,
        pictures=True,
        typing=True,
        read_marks=True,
        simulator=True,
        deduplicates_by_id=True,
        pairing=True,
        max_file_bytes=MAX_BYTES,
        send_rate=None,
    )
    form = FORM
    demo = port.DemoAccount({"pair_automatically": "true"}, contact_phone="+15550100001")
    migrations = Path(__file__).parent / "migrations"

    def __init__(self, pace: Pace | None = None) -> None:
        self._pace = pace or Pace()
        self._resources: SessionResources | None = None

    def start(self, context: port.NetworkContext) -> None:
        mailbox = Mailbox(context)
        outbox = Outbox(context, mailbox.wake_at)
        self._resources = SessionResources(context, mailbox, outbox, self._pace)
        self._arrivals = Arrivals(context)

    def recipient(self, value: str, settings: Mapping[str, str]) -> str:
        return addresses.address(value)

    def is_group(self, remote_jid: str) -> bool:
        return addresses.is_group(remote_jid)

    def check_invite_link(self, invite_link: str) -> None:
        addresses.invite_code(invite_link)

    def message_id(self, message_id: UUID) -> str:
        return addresses.message_id(message_id)

    async def connect(self, account: port.Account, events: port.Events) -> port.Session:
        """Open a session. Raises `NetworkError` for settings that the form does not allow."""
        return SandboxSession(account, events, self._started(), read_options(account.settings))

    async def forget(self, account_id: UUID) -> None:
        await removal.forget(NetworkDatabase(self._started().context.pool), account_id)

    def simulator(self, account_id: UUID) -> SandboxSimulator:
        self._started()
        return SandboxSimulator(self._arrivals, account_id)

    def _started(self) -> SessionResources:
        if self._resources is None:
            raise RuntimeError("The sandbox network must be started before it is used.")
        return self._resources
