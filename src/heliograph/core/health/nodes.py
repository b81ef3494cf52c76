"""The checks of the nodes that are alive: what they do, and how they count requests together."""

from collections.abc import Sequence

from heliograph.core.cluster.model import Node
from heliograph.core.health.model import Check, ok, warning
from heliograph.settings import Role, Settings

_UNDONE = {
    Role.API: "no request is answered",
    Role.SESSIONS: "no account is connected, and nothing is sent or received",
    Role.DELIVERIES: "no webhook is posted",
}


def check_nodes(nodes: Sequence[Node]) -> Check:
    """Check that each role has a node; `nodes` are those that are alive."""
    if not nodes:
        return ok("nodes", "None is running.")
    counts = {role: sum(role in node.roles for node in nodes) for role in Role}
    lacking = [role for role, count in counts.items() if not count]
    if lacking:
        return warning(
            "nodes",
            " ".join(f"No node has the role {role}, so {_UNDONE[role]}." for role in lacking),
            f"Start one with `heliograph serve --roles {','.join(lacking)}`, or without --roles.",
        )
    listed = ", ".join(f"{role} {count}" for role, count in counts.items())
    return ok("nodes", f"Nodes running: {len(nodes)}; by role: {listed}.")


def check_rates(settings: Settings, nodes: Sequence[Node], *, storage_lost: bool) -> Check:
    if storage_lost:
        return warning(
            "rates",
            "The shared storage of request rates does not answer: each node counts in its memory, "
            "and allows the full rate by itself.",
            "Make sure that it runs and that HELIOGRAPH_RATE_LIMIT_URL leads to it. Counting "
            "together begins again by itself.",
        )
    if settings.rate_limit.url is not None:
        return ok("rates", "Request rates are counted in the shared storage.")
    count = max(_count_here(settings), sum(Role.API in node.roles for node in nodes))
    if count > 1:
        return warning(
            "rates",
            f"Each of {count} nodes allows the full rate by itself.",
            "Set HELIOGRAPH_RATE_LIMIT_URL to a Redis that they share.",
        )
    return ok("rates", "Request rates are counted in the node's memory.")


def _count_here(settings: Settings) -> int:
    return settings.server.nodes if Role.API in settings.server.roles else 0
