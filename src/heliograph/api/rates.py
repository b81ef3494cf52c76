"""How often a key and its organization may call, and the headers that tell it.

Both limits are the plan's; of the two the headers tell the one that is nearer to its end:
draft-ietf-httpapi-ratelimit-headers-09, `RateLimit: "default";r=50;t=30` and
`RateLimit-Policy: "default";q=600;w=60`.
"""

import math
import time
from dataclasses import dataclass

from heliograph.errors import RateLimitedError
from heliograph.services.principals import Principal
from heliograph.services.request_counts import RequestCounts
from heliograph.services.request_windows import WINDOW, Count, Quota

UNLIMITED = 999_999_999_999_999
"""The largest integer of a structured field (RFC 9651, 3.3.1): a quota that nobody can reach."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one request found: seconds `t` until the window ends, `r` requests left in it."""

    allowed: bool
    quota: int
    window: int
    remaining: int
    reset: int

    def require(self) -> None:
        """Raise `RateLimitedError` when the quota was used up before this request."""
        if not self.allowed:
            raise RateLimitedError(retry_after=self.reset)

    def headers(self) -> list[tuple[bytes, bytes]]:
        state = f'"default";r={self.remaining};t={self.reset}'
        policy = f'"default";q={self.quota};w={self.window}'
        return [(b"ratelimit", state.encode()), (b"ratelimit-policy", policy.encode())]


class RateLimiter:
    """Counts requests against their plan."""

    def __init__(self, counts: RequestCounts) -> None:
        self._counts = counts

    async def hit(self, principal: Principal) -> Verdict:
        """Count one request. Callers without a limit are not counted, and told a quota so high
        that it is none.
        """
        quotas = _quotas(principal)
        if not quotas:
            return Verdict(True, UNLIMITED, WINDOW, UNLIMITED, WINDOW)
        counts = await self._counts.add(quotas)
        verdicts = [_judge(quota, count) for quota, count in zip(quotas, counts, strict=True)]
        refused = [verdict for verdict in verdicts if not verdict.allowed]
        return min(refused or verdicts, key=lambda verdict: verdict.remaining)


def _quotas(principal: Principal) -> list[Quota]:
    plan, found = principal.plan, []
    if principal.key_id is not None and plan.key_requests_per_minute is not None:
        found.append(Quota(f"key/{principal.key_id}", plan.key_requests_per_minute))
    if principal.key_id is not None and plan.requests_per_minute is not None:
        found.append(Quota(f"organization/{principal.organization_id}", plan.requests_per_minute))
    return found


def _judge(quota: Quota, count: Count) -> Verdict:
    reset = min(max(1, math.ceil(count.ends_at - time.time())), WINDOW)
    remaining = max(0, quota.requests - count.so_far)
    return Verdict(count.so_far <= quota.requests, quota.requests, WINDOW, remaining, reset)
