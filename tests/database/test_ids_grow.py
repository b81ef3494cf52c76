"""Ids of one process grow, also within a millisecond: what is sorted by them stays in order."""

from datetime import UTC, datetime, timedelta

from heliograph.platform.database.clock import Clock, first_id


def test_ids_of_one_moment_grow() -> None:
    clock = Clock()
    ids = [clock.new_id() for _ in range(20_000)]
    assert ids == sorted(set(ids))


def test_an_id_is_a_uuid_of_version_7_of_its_moment() -> None:
    clock = Clock()
    for _ in range(1_000):
        before = datetime.now(UTC) - timedelta(seconds=1)
        made = clock.new_id()
        assert (made.version, made.variant) == (7, "specified in RFC 4122")
        assert first_id(before) < made < first_id(datetime.now(UTC) + timedelta(seconds=1))


def test_ids_grow_while_the_offset_is_measured_anew() -> None:
    clock = Clock()
    first = clock.new_id()
    clock.set_offset(clock.offset - 0.2)
    assert clock.new_id() > first


def test_a_clock_that_was_far_ahead_does_not_stay_there() -> None:
    clock = Clock()
    right = clock.offset
    clock.set_offset(right + 600)
    clock.new_id()
    clock.set_offset(right)
    assert clock.new_id() < first_id(datetime.now(UTC) + timedelta(seconds=60))
