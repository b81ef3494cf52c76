"""The checks of living nodes: each role has one, and requests are counted together."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from pydantic import SecretStr

from heliograph.core.cluster.model import Node
from heliograph.core.health.model import Check, CheckStatus
from heliograph.core.health.nodes import check_nodes, check_rates
from heliograph.settings import Settings
from heliograph.settings.groups import RateLimitSettings, ServerSettings

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def node(*roles: str) -> Node:
    return Node(uuid4(), "host:1", roles, "1.0", None, NOW, NOW)


def test_nodes_are_counted_by_role() -> None:
    found = check_nodes([node("api", "sessions", "deliveries"), node("api")])
    said = "Nodes running: 2; by role: api 2, sessions 1, deliveries 1."
    assert found == Check("nodes", CheckStatus.OK, said)
    assert check_nodes([]).status is CheckStatus.OK


@pytest.mark.parametrize(
    ("roles", "undone", "remedy"),
    [
        (("api", "sessions"), "no webhook is posted", "--roles deliveries`"),
        (("api",), "nothing is sent or received", "--roles sessions,deliveries`"),
        (("sessions", "deliveries"), "no request is answered", "--roles api`"),
    ],
)
def test_a_role_that_no_node_has_is_named(roles: tuple[str, ...], undone: str, remedy: str) -> None:
    found = check_nodes([node(*roles)])
    assert found.status is CheckStatus.WARNING
    assert undone in found.detail
    assert remedy in found.remedy


@pytest.mark.parametrize("here", [1, 3])
def test_nodes_that_count_each_by_itself(here: int) -> None:
    settings = Settings(server=ServerSettings(nodes=here))
    others = [node("api"), node("api", "sessions"), node("deliveries")]
    found = check_rates(settings, others, storage_lost=False)
    assert f"Each of {max(here, 2)} nodes" in found.detail
    assert "HELIOGRAPH_RATE_LIMIT_URL" in found.remedy
    alone = Settings()
    assert check_rates(alone, [node("api")], storage_lost=False).status is CheckStatus.OK
    url = SecretStr("redis://127.0.0.1:1/0")
    shared = Settings(rate_limit=RateLimitSettings(url=url))
    assert check_rates(shared, others, storage_lost=False).status is CheckStatus.OK
    assert "does not answer" in check_rates(shared, others, storage_lost=True).detail
