"""What sessions report, written down: one batch, one shard, one transaction.

A batch first locks and loads what its reports are about, in key order (leases, messages, contacts,
conversations, accounts), then applies the reports one after another in memory, and at last writes
back what has changed, with the counts, the events and the deliveries that follow from it.
"""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from heliograph.core.cluster import sql as leases
from heliograph.core.cluster.model import Lease
from heliograph.core.events.service import EventBuilder
from heliograph.core.ingest.loading import Loader
from heliograph.core.ingest.outcomes import Report
from heliograph.core.ingest.rules import Rules
from heliograph.core.ingest.state import WorkingSet
from heliograph.core.ingest.writing import Writer
from heliograph.core.messages.model import Message, MessageStatus
from heliograph.core.messages.serializers import RenewLink
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.database.pool import Clock, Connection


class ReportBatch:
    """One transaction's reports of one shard. A repeated transaction takes a new batch."""

    def __init__(
        self,
        connection: Connection,
        shard: int,
        reports: Sequence[Report],
        *,
        clock: Clock,
        secret_box: SecretBox,
        renew: RenewLink,
    ) -> None:
        self._renew = renew
        self._connection = connection
        self._shard = shard
        self._all = reports
        self._clock = clock
        self._secret_box = secret_box
        self.reached: Counter[MessageStatus] = Counter()
        """How many messages reached each state, once the transaction has committed."""
        self.troubled: list[Message] = []
        """Those that failed, or are tried again, once it has."""

    async def run(self) -> tuple[set[Lease], set[UUID]]:
        """Write everything. Returns the leases that still hold (reports under others were dropped)
        and the webhooks that have something to deliver."""
        newest = _newest_leases(self._all)
        locked = await leases.lock_leases(self._connection, leases.ACCOUNTS, self._shard, newest)
        held = {lease for lease in newest if lease.resource_id in locked}
        working_set = WorkingSet(
            shard=self._shard,
            reports=[each for each in self._all if each.lease in held],
            clock=self._clock,
            now=self._clock.now(),
            events=EventBuilder(self._clock),
            reached=self.reached,
            troubled=self.troubled,
        )
        await Loader(self._connection, working_set).load()
        Rules(working_set, self._secret_box, self._renew).apply_all()
        return held, await Writer(self._connection, working_set).write()


def _newest_leases(reports: Sequence[Report]) -> list[Lease]:
    """Each account's lease of the highest epoch: an older one can't hold any more."""
    newest: dict[UUID, Lease] = {}
    for report in reports:
        known = newest.get(report.account_id)
        if known is None or known.epoch < report.lease.epoch:
            newest[report.account_id] = report.lease
    return sorted(newest.values(), key=lambda lease: (lease.tenant, lease.resource_id))
