"""Attempts: sign, post, and judge the response."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus

import msgspec
import structlog

from heliograph.core.cluster.model import Lease
from heliograph.core.webhooks.headers import webhook_headers, with_custom, with_trace
from heliograph.core.webhooks.model import ClaimedDelivery, DeliveryStatus, Outcome
from heliograph.core.webhooks.posting.retries import next_delay
from heliograph.core.webhooks.posting.spans import begin_attempt, describe_answer
from heliograph.core.webhooks.subscriptions.secrets import WebhookSecrets
from heliograph.errors import UnavailableError
from heliograph.platform.database.clock import Clock
from heliograph.platform.outbound_http import GuardedClient, OutboundError
from heliograph.platform.telemetry.tracing import OFF, Tracer

log = structlog.get_logger()


class PostResult(msgspec.Struct, frozen=True):
    """The result of one POST. `error`, and `error_type` for programs, are None after a success."""

    duration_ms: float
    address: str | None
    error: str | None
    status: int | None = None
    body: str | None = None
    retry_after: float | None = None
    error_type: str | None = None


@dataclass(eq=False)
class Poster:
    """Makes attempts. `random` returns numbers in [0, 1) for the jitter."""

    _client: GuardedClient
    _clock: Clock
    _random: Callable[[], float]
    _tracer: Tracer = OFF

    async def attempt(
        self, lease: Lease, delivery: ClaimedDelivery, url: str, secrets: WebhookSecrets | None
    ) -> Outcome:
        """Post once. `secrets` is None if they can't be decrypted: then nothing is sent.

        Raises `UnavailableError`, without having sent anything, if the database is needed and
        unavailable.
        """
        started_at = self._clock.now()
        if secrets is None:
            result = PostResult(0.0, None, "The webhook's secret can't be opened by this gateway.")
        else:
            result = await self._post(delivery, url, secrets, started_at)
        return self._judge(lease, delivery, url, started_at, result)

    async def _post(
        self, delivery: ClaimedDelivery, url: str, secrets: WebhookSecrets, now: datetime
    ) -> PostResult:
        headers = webhook_headers(
            secrets.signing(now), delivery.webhook_request_id, delivery.payload, now
        )
        if secrets.headers:
            headers = with_custom(headers, secrets.headers)
        with begin_attempt(self._tracer, delivery, url) as span:
            if span.context is not None:
                headers = with_trace(headers, span.context)
            result = await self._exchange(delivery, url, headers)
            describe_answer(span, result.status, result.address, result.error_type)
            return result

    async def _exchange(
        self, delivery: ClaimedDelivery, url: str, headers: Mapping[str, str]
    ) -> PostResult:
        try:
            exchange = await self._client.post(
                url, headers, delivery.payload, owner=delivery.webhook_id
            )
        except OutboundError as error:
            return PostResult(
                error.duration_ms, error.address, str(error), error_type=type(error).__name__
            )
        except UnavailableError:
            raise
        except Exception as error:
            log.exception("attempt failed", delivery_id=str(delivery.id))
            return PostResult(
                0.0,
                None,
                "The gateway could not make this request.",
                error_type=type(error).__name__,
            )
        failure = describe_failure(exchange.status)
        return PostResult(
            duration_ms=exchange.duration_ms,
            address=exchange.address,
            error=failure,
            error_type=None if failure is None else str(exchange.status),
            status=exchange.status,
            body=exchange.body,
            retry_after=exchange.retry_after,
        )

    def _judge(
        self,
        lease: Lease,
        delivery: ClaimedDelivery,
        url: str,
        started_at: datetime,
        result: PostResult,
    ) -> Outcome:
        ended_at = self._clock.now()
        number = delivery.attempt_count + 1
        status, next_attempt_at = DeliveryStatus.DELIVERED, None
        if result.error is not None:
            delay = next_delay(number, random=self._random(), retry_after=result.retry_after)
            status = DeliveryStatus.FAILED if delay is None else DeliveryStatus.PENDING
            next_attempt_at = None if delay is None else ended_at + timedelta(seconds=delay)
        return Outcome(
            lease=lease,
            delivery=delivery,
            webhook_url=url,
            number=number,
            started_at=started_at,
            ended_at=ended_at,
            duration_ms=round(result.duration_ms),
            status=status,
            next_attempt_at=next_attempt_at,
            response_code=result.status,
            response_body=result.body,
            error_message=result.error,
            address=result.address,
        )


def describe_failure(status: int) -> str | None:
    """Say why a response with this status is a failure. None for a success, which is only 2xx."""
    if 200 <= status < 300:
        return None
    if status == HTTPStatus.GONE:
        return "The endpoint answered 410: it is gone."
    if 300 <= status < 400:
        return f"The endpoint answered {status}, a redirect; redirects are not followed."
    return f"The endpoint answered {status}."
