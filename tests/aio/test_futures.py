"""Futures whose outcome may come twice, or come when nobody waits for it any more."""

import asyncio
import gc
from typing import Any

from heliograph.platform.aio.futures import resolve, retrieve


async def test_the_first_outcome_counts() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    resolve(future, 1)
    resolve(future, 2)
    resolve(future, ValueError("too late"))

    assert await future == 1


async def test_who_has_stopped_waiting_gets_no_outcome() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    future.cancel()

    resolve(future, 1)
    retrieve(future)

    assert future.cancelled()


async def test_an_error_that_nobody_waits_for_is_not_logged() -> None:
    logged: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: logged.append(context))

    resolve(loop.create_future(), ValueError("nobody asked"))
    gc.collect()

    assert not logged
