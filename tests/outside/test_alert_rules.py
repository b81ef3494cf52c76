"""The alert rules name metrics that exist, are explained, and fire when they should and not before.

`promtool` runs the rules over series of numbers. That real trouble makes such numbers is tested
where the metrics are.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes without types, and one call of it is needed

from debian_programs import need_program
from each_case import for_each
from exposed_metrics import exposed_names, named_in
from repository import DOCS, ROOT

FILE = ROOT / "deploy" / "prometheus" / "heliograph-alerts.yaml"
RULES: dict[str, dict[str, Any]] = {
    rule["alert"]: rule for rule in yaml.safe_load(FILE.read_text())["groups"][0]["rules"]
}
STEP = 15  # seconds between two scrapes
MACHINE = {"instance": "gateway-1:8000", "job": "heliograph"}


@dataclass(frozen=True)
class Case:
    """Series in trouble and in health, each by its first value and what each scrape adds to it;
    `labels` are those of the alert."""

    trouble: dict[str, str]
    health: dict[str, str]
    labels: dict[str, str]


def gauge(name: str, trouble: float, health: float, labels: dict[str, str]) -> Case:
    return Case({name: f"{trouble}+0"}, {name: f"{health}+0"}, labels)


def rates(bad: str, good: str, all_of_it: str = "") -> Case:
    """Counters of which one in two is bad, and then none; `all_of_it` counts both."""
    every = all_of_it or good
    return Case({bad: "0+10", every: "0+10"}, {bad: "0+0", every: "0+10"}, {})


ATTEMPTS = 'heliograph_webhook_attempts_total{outcome="%s"}'
REQUESTS = 'heliograph_http_request_duration_seconds_count{status="%s"}'
LAG = 'heliograph_event_loop_lag_seconds_bucket{le="%s"}'
CASES = {
    "HeliographDown": gauge("up", 0, 1, MACHINE),
    "HeliographNodeSilent": gauge("heliograph_nodes_silent", 1, 0, MACHINE),
    "HeliographDatabaseAway": gauge("heliograph_database_answering", 0, 1, MACHINE),
    "HeliographLeaseLate": Case(
        {"heliograph_nodes_without_lease": "1+0", "heliograph_database_answering": "1+0"},
        {"heliograph_nodes_without_lease": "1+0", "heliograph_database_answering": "0+0"},
        MACHINE,
    ),
    "HeliographAccountsDisconnected": Case(
        {'heliograph_sessions{status="logged_out"}': "1+0"},
        {'heliograph_sessions{status="connected"}': "9+0"},
        {},
    ),
    "HeliographChoreFailing": gauge(
        'heliograph_chores_failing{chore="clean-up"}', 1, 0, {"chore": "clean-up"}
    ),
    "HeliographDevicesRestricted": gauge("heliograph_sessions_restricted", 1, 0, {}),
    "HeliographMessagesWaiting": gauge("heliograph_messages_queued_oldest_age_seconds", 301, 9, {}),
    "HeliographMessagesFailing": rates(
        "heliograph_messages_failed_total", "heliograph_messages_accepted_total"
    ),
    "HeliographDeliveriesWaiting": gauge("heliograph_deliveries_due_oldest_age_seconds", 61, 9, {}),
    "HeliographWebhooksFailing": rates(ATTEMPTS % "retry", ATTEMPTS % "delivered"),
    "HeliographErrors": rates(REQUESTS % "5xx", REQUESTS % "2xx"),
    "HeliographPoolExhausted": Case(
        {
            "heliograph_database_connections": "10+0",
            "heliograph_database_connections_idle": "0+0",
            "heliograph_database_connections_limit": "10+0",
        },
        {
            "heliograph_database_connections": "10+0",
            "heliograph_database_connections_idle": "9+0",
            "heliograph_database_connections_limit": "10+0",
        },
        MACHINE,
    ),
    "HeliographEventLoopLate": Case(
        {LAG % "0.5": "0+0", LAG % "1": "0+10", LAG % "+Inf": "0+10"},
        {LAG % "0.5": "0+10", LAG % "1": "0+10", LAG % "+Inf": "0+10"},
        {"instance": MACHINE["instance"]},
    ),
    "HeliographDiskFilling": Case(
        {"heliograph_disk_free_bytes": "9+0", "heliograph_disk_size_bytes": "100+0"},
        {"heliograph_disk_free_bytes": "11+0", "heliograph_disk_size_bytes": "100+0"},
        MACHINE,
    ),
    "HeliographRateStorageLost": gauge("heliograph_rate_limit_storage_lost", 1, 0, MACHINE),
}


def seconds(duration: str) -> int:
    return int(duration[:-1]) * {"s": 1, "m": 60}[duration[-1]]


def series(name: str, values: str) -> dict[str, str]:
    own = ",".join(f'{label}="{value}"' for label, value in MACHINE.items())
    full = name.replace("{", "{" + own + ",") if "{" in name else f"{name}{{{own}}}"
    return {"series": full, "values": f"{values}x100"}


def rule_test(alert: str, values: dict[str, str], expected: dict[int, bool]) -> dict[str, Any]:
    """What promtool is to find: at each second, whether the alert fires."""
    rule = RULES[alert]
    firing = {
        "exp_labels": CASES[alert].labels | rule["labels"],
        "exp_annotations": rule["annotations"],
    }
    return {
        "interval": f"{STEP}s",
        "input_series": [series(name, value) for name, value in values.items()],
        "alert_rule_test": [
            {"eval_time": f"{at}s", "alertname": alert, "exp_alerts": [firing] if fires else []}
            for at, fires in expected.items()
        ],
    }


def promtool(*arguments: str) -> str:
    need_program("promtool", "prometheus")
    done = subprocess.run(("promtool", *arguments), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_rule_tests(folder: Path, tests: list[dict[str, Any]]) -> None:
    content = {"rule_files": [str(FILE)], "evaluation_interval": f"{STEP}s", "tests": tests}
    file = folder / "tests.yaml"
    file.write_text(json.dumps(content))  # which is YAML as well
    promtool("test", "rules", str(file))


def test_promtool_takes_the_rules() -> None:
    assert f"{len(RULES)} rules found" in promtool("check", "rules", str(FILE))


@for_each("alert", RULES)
def test_metrics_that_are_named_exist(alert: str) -> None:
    names = named_in(RULES[alert]["expr"])
    assert names
    assert names <= exposed_names()


@pytest.mark.parametrize("alert", RULES)
def test_an_alert_fires_after_its_time_of_trouble_and_not_in_health(
    alert: str, tmp_path: Path
) -> None:
    case, lasts = CASES[alert], seconds(RULES[alert]["for"])
    trouble = rule_test(alert, case.trouble, {lasts - STEP: False, lasts + 2 * STEP: True})
    run_rule_tests(tmp_path, [trouble, rule_test(alert, case.health, {lasts + 2 * STEP: False})])


def test_a_rule_that_does_not_fire_is_found(tmp_path: Path) -> None:
    alert = "HeliographDown"
    with pytest.raises(AssertionError, match="FAILED"):
        run_rule_tests(tmp_path, [rule_test(alert, CASES[alert].health, {600: True})])


def test_every_alert_is_explained_and_leads_there() -> None:
    page = (DOCS / "operations.md").read_text(encoding="utf-8")
    section = page.partition("\n## Watching it\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(Heliograph\w+)` \|", section, re.MULTILINE) == list(RULES)
    for rule in RULES.values():
        assert rule["annotations"]["runbook_url"] == "docs/operations.md#watching-it"
