"""Things that begin side by side take effect in the order in which they began."""

from functools import partial

from heliograph.core.dispatch.turns import Turns


def test_who_came_first_goes_first() -> None:
    turns, gone = Turns(), list[str]()
    first, second, third = turns.take(), turns.take(), turns.take()

    third.use(partial(gone.append, "third"))
    second.use(partial(gone.append, "second"))
    assert gone == []

    first.use(partial(gone.append, "first"))
    assert gone == ["first", "second", "third"]


def test_nobody_waits_for_those_who_come_later() -> None:
    turns, gone = Turns(), list[str]()
    first = turns.take()
    turns.take()
    first.use(partial(gone.append, "first"))
    assert gone == ["first"]
