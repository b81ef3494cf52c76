"""What a fault came to is written, read again and shown."""

from pathlib import Path

from rich.console import Console

from chaos import results
from chaos.ledger import Fault, Ledger
from chaos.results import Result


def test_what_was_counted_is_read_again_in_order(tmp_path: Path) -> None:
    second = Result("Kill: a node", 2.0, 61.5, {"times": 5, "nodes at work": 4})
    first = Result("Clock off", 1.0, 3.0, {"times": 1})
    for result in (second, first):
        results.write(tmp_path / "short", result)
    assert results.read(tmp_path / "short") == [first, second]


def test_a_later_run_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    for at in (1.0, 2.0):
        results.write(tmp_path, Result("Kill: a node", at, 1.0, {}))
    assert [result.at for result in results.read(tmp_path)] == [2.0]


def test_counts_without_a_column_are_named() -> None:
    result = Result("Kill", 1.0, 61.4, {"times": 1200, "slowest_s": 0.5, "nodes_at_work": 4})
    row = results.markdown([result]).splitlines()[-1]
    assert row == "| Kill | 1,200 |  |  |  |  |  |  | 0.50 | 61 | nodes at work 4 |"
    console = Console(width=200)
    with console.capture() as shown:
        console.print(results.table([result]))
    assert "nodes at work 4" in shown.get()


def test_faults_are_tallied_by_kind() -> None:
    faults = [Fault("lost", "a"), Fault("id used twice", "b"), Fault("mixed up", "c")]
    counts = results.tally(Ledger(), faults)
    assert (counts["lost"], counts["doubled"], counts["faults: mixed up"]) == (1, 1, 1)
