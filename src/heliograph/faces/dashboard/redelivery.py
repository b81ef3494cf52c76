"""Posting everything of a time once more, while somebody looks on.

A short range is done before the page is answered. Of a longer one the page is sent in pieces, one
for each step: a browser shows how far it has come, without script and from whichever node.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

from markupsafe import Markup
from starlette.responses import Response, StreamingResponse

from heliograph.core.webhooks.deliveries import RedeliveryProgress
from heliograph.faces.dashboard.pages import Visit

PATIENCE = 1.0
"""Seconds within which a range is short."""
MOST_AT_ONCE = 100_000
"""How many events a range may hold that is sent again while somebody waits for the page."""

_HERE = "developers/deliveries"
_STEPS = Markup("<!-- steps -->")
_STEP = Markup(
    '<p class="step"><progress max="{total}" value="{seen}" aria-label="Sent again"></progress> '
    "{seen:,} of {total:,} events looked at, {redelivered:,} on the way again</p>\n"
)
_END = Markup('<p class="notice" role="status">{count:,} events are on the way again.</p>\n')
_BROKEN = Markup(
    '<p class="problem" role="alert">This broke off: {why} What was sent again stays sent; a '
    "repeat sends it once more, under the same <code>webhook-id</code>.</p>\n"
)


async def send_again(visit: Visit, webhook_id: UUID, since: datetime, until: datetime) -> Response:
    """To the list when it was short, else a page that grows. Raises what `redeliver_range` does."""
    steps: asyncio.Queue[RedeliveryProgress | None] = asyncio.Queue()
    work = asyncio.create_task(
        visit.services.deliveries.redeliver_range(
            visit.principal,
            webhook_id,
            since,
            until,
            progress=steps.put_nowait,
            at_most=MOST_AT_ONCE,
        )
    )
    work.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        done, _ = await asyncio.wait({work}, timeout=PATIENCE)
    except asyncio.CancelledError:
        work.cancel()
        raise
    if done:
        return visit.go_to(f"{_HERE}?webhook={webhook_id}&sent={work.result()}")
    page = visit.render("developers/again.html", visit=visit, steps=_STEPS, webhook_id=webhook_id)
    head, _, tail = bytes(page.body).decode().partition(_STEPS)
    return StreamingResponse(_pieces(head, tail, steps, work), media_type="text/html")


async def _pieces(
    head: str, tail: str, steps: asyncio.Queue[RedeliveryProgress | None], work: asyncio.Task[int]
) -> AsyncIterator[str]:
    try:
        yield head
        while (step := await steps.get()) is not None:
            yield _STEP.format(total=step.total, seen=step.seen, redelivered=step.redelivered)
        error = work.exception()
        yield _END.format(count=work.result()) if error is None else _BROKEN.format(why=str(error))
        yield tail
    finally:
        work.cancel()  # whoever looked on has left
