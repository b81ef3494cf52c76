"""Calls that block, each in a thread that a process need not wait for at its end."""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def run_aside(work: Callable[[], object], name: str) -> None:
    """Run it and forget it."""
    Thread(target=work, name=name, daemon=True).start()


async def call_aside(work: Callable[[], T], name: str) -> T:
    """What the work returns or raises. When the caller is cancelled the work goes on, unheard.

    A pool's threads would be waited for at the process's end, as long as the network takes.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]  # None only where T allows it

    def run() -> None:
        result, failed = None, None
        try:
            result = work()
        except BaseException as error:
            failed = error
        try:
            loop.call_soon_threadsafe(settle, result, failed)
        except RuntimeError:
            return  # the loop is closed: the process ends

    run_aside(run, name)
    return await answer
