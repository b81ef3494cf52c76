"""The model of capacity: it reproduces what was measured, and says what is used up first."""

import json
from pathlib import Path

import msgspec
import pytest
import typer
from bench.capacity import points
from bench.capacity.command import capacity
from bench.capacity.costs import Costs, load_costs
from bench.capacity.latency import simulate
from bench.capacity.model import Topology, predict, shares_at
from bench.capacity.points import check, load_points
from docs.pictures.draw_capacity import PICTURE, draw
from typer.testing import CliRunner

COSTS = load_costs()
program = typer.Typer()
program.command()(capacity)


def changed(**values: float) -> Costs:
    return msgspec.structs.replace(COSTS, **values)


def test_the_model_is_within_a_fifth_of_what_was_measured() -> None:
    checked = check(COSTS, load_points())
    assert [(it.point.name, it.predicted) for it in checked if not it.is_within] == []


def test_most_points_were_not_used_to_find_the_inputs() -> None:
    fitted = [point.is_fitted for point in load_points()]
    assert sum(fitted) < len(fitted) / 2


def test_the_check_fails_when_the_model_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = [msgspec.structs.replace(load_points()[0], measured=100)]
    path = tmp_path / "points.json"
    path.write_bytes(msgspec.json.encode(wrong))
    monkeypatch.setattr(points.load_points, "__defaults__", (path,))
    assert CliRunner().invoke(program, ["--check"]).exit_code == 1


def test_the_check_passes_with_the_points_that_are_kept() -> None:
    assert CliRunner().invoke(program, ["--check"]).exit_code == 0


def test_one_node_uses_its_core_up_and_many_use_up_postgresql() -> None:
    assert predict(COSTS, Topology(nodes=1, cores=2)).first == "a node's core"
    assert predict(COSTS, Topology(nodes=64, cores=2)).first == "PostgreSQL's cores"


def test_a_slow_disk_is_what_is_used_up_first() -> None:
    topology = Topology(nodes=16, cores=64, wal_mb_per_second=1)
    assert predict(COSTS, topology).first == "WAL to the disk"


def test_workers_share_the_work_and_each_message_costs_more() -> None:
    one, two, eight = (
        predict(COSTS, Topology(nodes=64, cores=2, workers=workers)).rate for workers in (1, 2, 8)
    )
    assert two < one
    assert 3.5 < eight / two < 8, "a busy node needs fewer transactions a message"


def test_each_node_asks_about_all_accounts() -> None:
    few, many = (
        shares_at(COSTS, Topology(nodes=nodes, accounts=1_000_000), 0)["PostgreSQL's cores"]
        for nodes in (10, 20)
    )
    without = changed(holder_us=0)
    few_without, many_without = (
        shares_at(without, Topology(nodes=nodes, accounts=1_000_000), 0)["PostgreSQL's cores"]
        for nodes in (10, 20)
    )
    assert many - few > 10 * (many_without - few_without)


def test_who_comes_waits_longer_when_a_node_is_busy() -> None:
    calm, busy = simulate(COSTS, 50), simulate(COSTS, 700)
    assert calm.accept_p50_ms < calm.p50_ms < calm.p99_ms
    assert busy.p99_ms > calm.p99_ms


def test_a_report_is_kept_as_json(tmp_path: Path) -> None:
    path = tmp_path / "capacity.json"
    result = CliRunner().invoke(program, ["--nodes", "4", "-o", str(path)])
    assert result.exit_code == 0
    kept = json.loads(path.read_bytes())
    assert kept["rate"] == round(predict(COSTS, Topology(nodes=4)).rate, 1)


def test_the_picture_is_what_the_model_says() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "run `make pictures`"
