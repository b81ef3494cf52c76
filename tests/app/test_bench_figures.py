"""What the benchmark makes of its rounds."""

import pytest
from bench.figures import Cost, Figure, Pair, compare_rounds, new_run, spread
from bench.volume import Reached
from bench.wal import count_records

WAL = """\
rmgr: Heap        len (rec/tot):     54/  8190, tx: 7, lsn: 0/1, prev 0/0, desc: INSERT off: 1, \
flags: 0x00, blkref #0: rel 1663/5/100 blk 0 FPW
rmgr: Btree       len (rec/tot):     72/    72, tx: 7, lsn: 0/2, prev 0/1, desc: INSERT_LEAF \
off: 3, blkref #0: rel 1663/5/200 blk 1
rmgr: Btree       len (rec/tot):     64/    64, tx: 7, lsn: 0/3, prev 0/2, desc: INSERT_POST \
off 3, blkref #0: rel 1663/5/200 blk 1
rmgr: Btree       len (rec/tot):    900/   900, tx: 7, lsn: 0/4, prev 0/3, desc: SPLIT_R level: \
0, firstrightoff: 2, blkref #0: rel 1663/5/200 blk 1, blkref #1: rel 1663/5/200 blk 9
rmgr: Btree       len (rec/tot):     80/    80, tx: 7, lsn: 0/5, prev 0/4, desc: INSERT_UPPER \
off: 2, blkref #0: rel 1663/5/200 blk 3
rmgr: Btree       len (rec/tot):    900/   900, tx: 7, lsn: 0/6, prev 0/5, desc: SPLIT_L level \
1, firstrightoff 2, blkref #0: rel 1663/5/200 blk 3
rmgr: Btree       len (rec/tot):     72/    72, tx: 8, lsn: 0/7, prev 0/6, desc: INSERT_LEAF \
off: 3, blkref #0: rel 1663/9/200 blk 1
rmgr: Transaction len (rec/tot):     34/    34, tx: 7, lsn: 0/8, prev 0/7, desc: COMMIT \
2026-11-25 10:00:00.000000 UTC
"""


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_their_sums() -> None:
    rounds = [Pair(80, 100), Pair(20, 100), Pair(4500, 5000)]
    compared = compare_rounds("accepts", rounds, baseline_name="A", least=0.75)
    assert (compared.value, compared.baseline) == (80, 100)
    assert compared.ratio == 0.8
    assert compared.met is True


@pytest.mark.parametrize(("reached", "met"), [(75, True), (74, False)])
def test_a_bar_is_met_at_its_very_value(reached: float, met: bool) -> None:
    compared = compare_rounds("accepts", [Pair(reached, 100)], baseline_name="A", least=0.75)
    assert compared.met is met


def test_a_figure_without_a_bar_can_not_miss_it() -> None:
    compared = compare_rounds("reads", [Pair(1, 100)], baseline_name="empty")
    assert (compared.bar, compared.met) == (None, None)


def test_percentiles_are_values_that_were_measured() -> None:
    found = spread(number / 1000 for number in range(100, 0, -1))
    assert (found.p50, found.p99, found.max) == (50, 99, 100)


def test_a_slow_minute_of_the_machine_is_not_taken_for_a_slow_database() -> None:
    quiet, busy = Reached(1000, baseline=4000), Reached(500, baseline=2000)
    assert busy.times_slower_than(quiet) == 1
    assert Reached(500, baseline=4000).times_slower_than(quiet) == 2


def test_a_run_names_what_missed_its_bar() -> None:
    missed = compare_rounds("accepts", [Pair(1, 100)], baseline_name="A", least=0.75)
    late = Figure(name="start", count=1, seconds=9, target="<= 5 s", met=False)
    fine = Figure(name="burst", count=1, seconds=1, target="once", met=True)
    run = new_run(quick=True, full=False, nodes=[1], postgres="18", findings=[late, missed, fine])
    assert run.missed == ["accepts", "start"]


def test_what_a_message_takes_may_be_as_much_as_its_bar() -> None:
    assert Cost(name="WAL", value=10, unit="bytes", most=10).met is True
    assert Cost(name="WAL", value=11, unit="bytes", most=10).met is False
    assert Cost(name="WAL", value=11, unit="bytes").met is None


def test_index_entries_are_those_in_leaves() -> None:
    written = count_records(WAL.splitlines(), database=5)
    assert written.entries == {200: 3, 0: 1}
    assert written.bytes == {100: 54, 200: 72 + 64 + 900 + 80 + 900, 0: 72 + 34}
