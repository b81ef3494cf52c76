"""`docs/operations.md` names every metric and every check there is, and no other."""

import re
from collections.abc import Iterator

from databases import CONNECT_TIMEOUT
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.node import NodeState
from heliograph.core.health.objects import ObjectStorageProbe
from heliograph.core.rates.counts import RequestCounts
from heliograph.core.tenants.plans import DEFAULT_FILE_BYTES
from heliograph.platform.database.pool import Database
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.objects import Objects
from heliograph.platform.telemetry.metrics import MACHINE, NODE, NodeReadings, Pool
from heliograph.settings import Settings
from repository import DOCS

DOCUMENT = (DOCS / "operations.md").read_text(encoding="utf-8")


def table(heading: str) -> dict[str, str]:
    """The rows of the table whose first column is called that: each name, and what follows it."""
    [rows] = re.findall(rf"^\| {heading} \|.*\n.*\n((?:\|.*\n)+)", DOCUMENT, re.MULTILINE)
    return dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", rows, re.MULTILINE))


def existing() -> Iterator[tuple[str, str, str]]:
    """Each metric's name as it is exposed, its type and what it says of itself."""
    readings = NodeReadings(list, [], dict, lambda: Pool(0, 0, 0), int, bool)
    for source in (NODE, MACHINE, readings):
        for family in source.collect():
            suffix = "_total" if family.type == "counter" else ""
            yield family.name + suffix, family.type, family.documentation


def test_every_metric_is_documented_and_every_documented_metric_exists() -> None:
    documented = table("metric")
    assert set(documented) == {name for name, _, _ in existing()}
    for name, kind, text in existing():
        assert documented[name] == f"{kind} | {text}"


async def test_every_check_is_documented_and_every_documented_check_exists(
    database_url: str,
) -> None:
    counts = RequestCounts()
    settings = Settings()
    probe = ObjectStorageProbe(settings, Objects("memory:///"))
    state = NodeState(
        settings,
        list,
        lambda: True,
        lambda: True,
        lambda: True,
        counts.has_lost_storage,
        probe,
    )
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    try:
        checks = [*await ReadinessService(database, Revisions()).check(), *await state.check()]
    finally:
        await database.close()
    assert set(table("check")) == {check.name for check in checks}


def test_the_proxy_that_is_shown_lets_the_files_of_a_plan_through() -> None:
    [megabytes] = re.findall(r"client_max_body_size (\d+)m;", DOCUMENT)
    assert int(megabytes) * 1024 * 1024 > DEFAULT_FILE_BYTES
