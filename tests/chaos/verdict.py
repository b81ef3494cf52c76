"""What came of a fault that was made under load: recorded, and judged."""

from typing import TYPE_CHECKING

from chaos.ledger import audit
from chaos.load import Outcomes
from chaos.machine import Machine
from chaos.results import Count, tally
from chaos.world import World

if TYPE_CHECKING:  # what pytest loads by itself
    from chaos.conftest import Form


async def judge(
    form: "Form",
    world: World,
    fault: str,
    outcomes: Outcomes | None = None,
    *,
    repeats: int = 0,
    nodes: list[tuple[Machine, int]] | None = None,
    **counts: Count,
) -> None:
    """Let all come to its end, record that with these counts, and then assert that nothing was
    lost or doubled, and that clients met nothing that makes no sense. So many webhooks may have
    come again; these nodes run still."""
    await world.settle()
    faults = audit(world.ledger, repeats=repeats)
    if outcomes is not None:
        counts["slowest_s"] = outcomes.slowest
        counts["answers_503"] = outcomes.statuses.get(503, 0)
        counts["connections_broken"] = outcomes.broken
    form.record(fault, **tally(world.ledger, faults), **counts)
    assert outcomes is None or outcomes.wrong == []
    assert faults == []
    assert nodes is None or world.nodes() == nodes, "a node was started again"
