"""Read with endpoints 6 to 10, and with the framework's empty route beside endpoint 7."""

from collections.abc import Sequence

from bench.client import Client
from bench.figures import Comparison, Finding, Pair, compare_rounds
from bench.programs import empty_route
from bench.stage import ROUNDS, Stage, read, send_samples

EMPTY_ROUTE = "FastAPI's empty route"
_COUNT = 4000
_MESSAGES = 500


async def reads(stage: Stage) -> list[Finding]:
    """Read what earlier measures have left behind, with one node. Several messages are read in
    turn, since simultaneous reads of one message might share their work."""
    await stage.gateway.run_nodes(1)
    client = stage.gateway.customer.client
    ids, arrivals = await send_samples(stage, _MESSAGES)
    conversation_id = next(
        arrival.conversation_id for arrival in arrivals if arrival.conversation_id
    )
    paths = {
        "get conversation (6)": f"/api/v1/conversations/{conversation_id}",
        "list devices (8)": "/api/v1/devices",
        "get message stats (9)": "/api/v1/messages/stats/summary",
        "list webhook events (10)": "/api/v1/webhooks/subscriptions/events",
    }
    return [
        await compare_read(
            stage,
            "get message (7)",
            [message_path(id_) for id_ in ids],
            stage.count(_COUNT),
            least=0.5,
        ),
        *[
            await read(stage, name, client, [path], stage.count(2 * _COUNT))
            for name, path in paths.items()
        ],
    ]


def message_path(message_id: str) -> str:
    return f"/api/v1/messages/{message_id}"


async def compare_read(
    stage: Stage, name: str, paths: Sequence[str], count: int, *, least: float | None = None
) -> Comparison:
    """Compare so many reads of these paths with as many of the empty route, in turns."""
    rounds, client = [], stage.gateway.customer.client
    async with empty_route() as base_url:
        empty = Client(base_url, "")
        for number in range(ROUNDS):
            turn = f"{number + 1} of {ROUNDS}"
            bare = await read(stage, f"empty route, {turn}", empty, ["/empty"], count)
            real = await read(stage, f"{name}, {turn}", client, paths, count)
            rounds.append(Pair(real.rate or 0.0, bare.rate or 0.0))
    note = f"{ROUNDS} rounds of {count:,} in turns; p50 {real.p50} ms, p99 {real.p99} ms"
    return compare_rounds(name, rounds, baseline_name=EMPTY_ROUTE, least=least, note=note)
