"""What a node counts, as text, and the sum of several nodes' texts."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from heliograph.platform.telemetry.metrics import NodeReadings, Pool, add_up, observe_request, parse


def readings(*statuses: str, **outcomes: int) -> NodeReadings:
    return NodeReadings(
        lambda: statuses,
        ["connected", "disconnected"],
        lambda: outcomes,
        lambda: Pool(open=3, idle=2, limit=10),
        lambda: 2,
        lambda: False,
    )


def samples(text: str) -> dict[str, float]:
    return {
        f"{sample.name}{''.join(sample.labels.values())}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_node_says_what_it_reads_at_each_look() -> None:
    found = samples(readings("connected", "connected", pending=4, delivered=9).text())
    assert found["heliograph_sessionsconnected"] == 2
    assert found["heliograph_sessionsdisconnected"] == 0
    assert found["heliograph_webhook_attempts_totalretry"] == 4
    assert found["heliograph_webhook_attempts_totaldelivered"] == 9
    assert found["heliograph_webhook_attempts_totalfailed"] == 0
    assert found["heliograph_database_connections_idle"] == 2
    assert found["heliograph_sessions_restricted"] == 2
    assert found["heliograph_nodes_without_lease"] == 1
    assert found["heliograph_process_resident_memory_bytes"] > 1 << 20


def test_nodes_are_added_sample_by_sample() -> None:
    observe_request("/sum", "GET", 200, 0.02)
    one = readings("connected", delivered=1).text()
    two = readings("connected", "disconnected", delivered=2).text()

    total = samples(add_up([parse(one), parse(two)]))

    assert total.keys() == samples(one).keys()
    assert total["heliograph_sessionsconnected"] == 2
    assert total["heliograph_sessionsdisconnected"] == 1
    assert total["heliograph_webhook_attempts_totaldelivered"] == 3
    count = "heliograph_http_request_duration_seconds_countGET/sum2xx"
    assert total[count] == 2 * samples(one)[count]
    assert add_up([parse(one)]) == add_up([parse(add_up([parse(one)]))])


def test_a_metric_that_one_node_alone_has_is_kept() -> None:
    text = "# HELP heliograph_new_total New.\n# TYPE heliograph_new_total counter\n"
    text += "heliograph_new_total 5.0\n"
    assert samples(add_up([parse(readings().text()), parse(text)]))["heliograph_new_total"] == 5


@pytest.mark.parametrize("text", ["<html>hello</html>", "heliograph_x five", "{}"])
def test_what_no_node_writes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="float"):
        parse(text)


def test_a_request_is_counted_by_template_known_method_and_class_of_status() -> None:
    observe_request("/count/{id}", "GET", 404, 0.1)
    observe_request("/count/{id}", "GET", 422, 0.1)
    observe_request("/count/{id}", "BREW", 200, 0.1)
    found = samples(readings().text())
    counts = {name: n for name, n in found.items() if "/count/" in name and "_count" in name}
    assert counts == {
        "heliograph_http_request_duration_seconds_countGET/count/{id}4xx": 2,
        "heliograph_http_request_duration_seconds_countother/count/{id}2xx": 1,
    }
