"""What came, on its way to the gateway."""

import asyncio
from uuid import uuid4

from heliograph.networks.port import Cursor
from heliograph.networks.reporting import Reporter
from heliograph.networks.testing import Recorder
from heliograph.networks.xmpp.publishing import FULL, Item, Publisher


async def test_a_connection_that_is_new_is_held_back_like_the_one_before() -> None:
    held_back: list[bool] = []
    publisher = Publisher(
        Reporter(Recorder(), uuid4(), first_delay=0.01),
        stored=lambda _: None,
        full=held_back.append,
        lost=lambda: None,
    )
    for n in range(FULL + 2):
        publisher.put(Item(cursor=Cursor("", str(n))))
    assert held_back == [True, True]

    running = asyncio.create_task(publisher.run())
    await publisher.drained()
    assert held_back[-1] is False
    running.cancel()
