"""Refusals to strangers: counted, and reported in the audit log from time to time.

Somebody who is refused can go on forever. An entry stands for all refusals of one kind on one node:
the first is written within seconds, and the next an hour later, with how many there were.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from heliograph.core.audit.model import STRANGER, AuditAction, AuditEntry
from heliograph.core.audit.service import record_entry
from heliograph.core.tenants.model import Tenant
from heliograph.platform.aio.periodic import run_every
from heliograph.platform.database.pool import Connection, Database

INTERVAL = 10.0
"""Seconds between two checks for entries that are due."""
PAUSE = 3600.0
"""Seconds between two entries about the same refusal and subject."""
MAX_KINDS = 10_000
_MAX_ADDRESSES = 5

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AuditedRefusal:
    """`subject` is what it was about, such as a key's id."""

    tenant: Tenant
    action: AuditAction
    subject: str
    reason: str
    actor: str = STRANGER


@dataclass(slots=True)
class _Tally:
    times: int = 0
    addresses: dict[str, None] = field(default_factory=dict)
    silent_until: float = float("-inf")


class RefusalAudit:
    """`now` is monotonic, in seconds."""

    def __init__(self, database: Database, now: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._now = now
        self._tallies: dict[AuditedRefusal, _Tally] = {}

    def note(self, refusal: AuditedRefusal, address: str | None) -> None:
        """Count a refusal; costs no I/O."""
        if refusal not in self._tallies and len(self._tallies) >= MAX_KINDS:
            return
        tally = self._tallies.setdefault(refusal, _Tally())
        tally.times += 1
        if address is not None and len(tally.addresses) < _MAX_ADDRESSES:
            tally.addresses[address] = None

    async def run(self) -> None:
        """Write again and again until canceled."""
        await run_every(INTERVAL, self.flush, failure="refusals are not written to the audit log")

    async def flush(self) -> None:
        """Write what is due. Raises `UnavailableError`; what was not written is kept."""
        now = self._now()
        self._forget(now)
        due = [each for each in self._tallies.items() if each[1].silent_until <= now]
        entries = [self._entry(refusal, tally) for refusal, tally in due]
        if not entries:
            return
        counted = [(tally, tally.times) for _, tally in due]

        async def work(connection: Connection) -> None:
            for entry in entries:
                await record_entry(connection, entry)

        await self._database.transact(work)
        for tally, times in counted:
            tally.times -= times  # more may have come meanwhile
            tally.addresses.clear()
            tally.silent_until = now + PAUSE

    def _forget(self, now: float) -> None:
        over = [
            refusal
            for refusal, tally in self._tallies.items()
            if not tally.times and tally.silent_until <= now
        ]
        for refusal in over:
            del self._tallies[refusal]

    def _entry(self, refusal: AuditedRefusal, tally: _Tally) -> AuditEntry:
        clock = self._database.clock
        return AuditEntry(
            tenant=refusal.tenant,
            id=clock.new_id(),
            actor=refusal.actor,
            action=refusal.action,
            subject=refusal.subject,
            details={
                "reason": refusal.reason,
                "times": tally.times,
                "addresses": list(tally.addresses),
            },
            created_at=clock.now(),
        )
