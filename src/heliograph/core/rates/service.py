"""How often a client may call, and the headers that report it.

A key and its organization have the limits of their plan, and the organization is counted once the
key has passed: what a key sends beyond its own limit takes nothing from the others. Requests that
need neither key nor session are counted by the client's address, those that need a session by the
person. A large request counts as several.

The headers are those of draft-ietf-httpapi-ratelimit-headers-09, `RateLimit: "default";r=50;t=30`
and `RateLimit-Policy: "default";q=600;w=60`. `default` is the key's own limit; another limit, if it
is closer to its end, has its own name.
"""

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.core.rates.counts import WINDOW, Count, Quota, RequestCounts
from heliograph.core.tenants.model import Principal
from heliograph.errors import RateLimitedError

UNLIMITED = 999_999_999_999_999
"""The largest integer of a structured field (RFC 9651, 3.3.1): a quota that nobody can reach."""

SHARED_ADDRESS = 10
"""The factor by which the limit is higher for an address that stands for many people."""
SEARCH_COST = 5
"""How many requests a search counts as: it reads thousands of rows for a page."""
SIGN_IN_COST = 5
"""How many requests a step of a sign-in counts as: it asks the provider, or makes a session."""


CODES_PER_MINUTE = 10
"""Invitation codes that a person may try."""


class Limit(StrEnum):
    KEY = "key"
    ORGANIZATION = "organization"
    ADDRESS = "address"
    PERSON = "person"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one request: `remaining` requests are left in the window, which ends in
    `reset` seconds."""

    limit: Limit
    allowed: bool
    quota: int
    window: int
    remaining: int
    reset: int

    def require(self) -> None:
        """Raise `RateLimitedError` when the quota was used up before this request."""
        if not self.allowed:
            raise self.refusal()

    def refusal(self) -> RateLimitedError:
        return RateLimitedError(self.limit, retry_after=self.reset)

    def headers(self) -> list[tuple[bytes, bytes]]:
        name = "default" if self.limit is Limit.KEY else self.limit.value
        state = f'"{name}";r={self.remaining};t={self.reset}'
        policy = f'"{name}";q={self.quota};w={self.window}'
        return [(b"ratelimit", state.encode()), (b"ratelimit-policy", policy.encode())]


NO_LIMIT = Verdict(Limit.KEY, True, UNLIMITED, WINDOW, UNLIMITED, WINDOW)


class RateLimiter:
    """Counts requests against the limits of their senders.

    `cost` is how many requests one counts as. It is capped at the quota, so that even the costliest
    request is allowed once a window.
    """

    def __init__(
        self,
        counts: RequestCounts,
        addresses: ClientAddresses | None = None,
        per_address: int = 1200,
        per_person: int = 900,
    ) -> None:
        self._counts = counts
        self._addresses = addresses or ClientAddresses()
        self._per_address = per_address
        self._per_person = per_person

    async def hit(self, principal: Principal, cost: int = 1) -> Verdict:
        """Count a request of an API key, and of its organization unless the key is over its limit.

        Callers without a limit are not counted, and get a quota so high that it is none.
        """
        plan, found = principal.plan, []
        if principal.key_id is None:
            return NO_LIMIT
        if plan.key_requests_per_minute is not None:
            limit, requests = Limit.KEY, plan.key_requests_per_minute
            found.append(await self.hit_limit(limit, principal.key_id, requests, cost))
            if not found[0].allowed:
                return found[0]
        if plan.requests_per_minute is not None:
            limit, name = Limit.ORGANIZATION, str(principal.organization_id)
            found.append(await self.hit_limit(limit, name, plan.requests_per_minute, cost))
        refused = [verdict for verdict in found if not verdict.allowed]
        return min(refused or found, key=lambda verdict: verdict.remaining, default=NO_LIMIT)

    async def hit_address(self, host: str | None, cost: int = 1) -> Verdict:
        """Count a request without key or session from this address, None for a Unix socket."""
        client = self._addresses.find(host)
        requests = self._per_address * (SHARED_ADDRESS if client.is_shared else 1)
        return await self.hit_limit(Limit.ADDRESS, client.name, requests, cost)

    async def hit_person(self, user_id: UUID, cost: int = 1) -> Verdict:
        """Count a page that a signed-in person asks for."""
        return await self.hit_limit(Limit.PERSON, str(user_id), self._per_person, cost)

    async def hit_code(self, user_id: UUID) -> Verdict:
        """Count an invitation code that a signed-in person tries."""
        return await self.hit_limit(Limit.CODE, str(user_id), CODES_PER_MINUTE)

    async def hit_limit(self, limit: Limit, name: str, requests: int, cost: int = 1) -> Verdict:
        """Count a request against a limit of `requests` a minute, under this name."""
        quota = Quota(f"{limit.value}/{name}", requests)
        return _judge(limit, quota, await self._counts.add(quota, min(cost, requests)))


def _judge(limit: Limit, quota: Quota, count: Count) -> Verdict:
    reset = min(max(1, math.ceil(count.ends_at - time.time())), WINDOW)
    remaining = max(0, quota.requests - count.so_far)
    allowed = count.so_far <= quota.requests
    return Verdict(limit, allowed, quota.requests, WINDOW, remaining, reset)
