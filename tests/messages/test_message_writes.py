"""What a message costs the database, counted: nobody pays for another version of a row, or another
index entry, without noticing."""

import pytest
from bench.gateway import private_gateway
from bench.receiver import receiving
from bench.stage import Stage
from bench.tables import print_writes
from bench.writing import LIMITS, Limits, count_writes

pytestmark = pytest.mark.extra_fault

_NAMES = ("versions", "entries", "dead", "cold")
_TRIES = 3
"""On a machine busy with other tests, steps that else share a statement come one by one."""


async def test_a_message_writes_no_more_than_it_may() -> None:
    for _ in range(_TRIES):
        async with receiving() as receiver, private_gateway(1) as gateway:
            found = await count_writes(Stage(gateway, receiver, lambda *_: lambda _: None, (1,)))
        print_writes(found)
        own = found.total("its own tables", own=True)
        each = Limits(*map(found.each, (own.versions, own.entries, own.dead, own.cold)))
        too_much = [name for name in _NAMES if getattr(each, name) > getattr(LIMITS, name)]
        if not too_much:
            break

    assert too_much == [], each
