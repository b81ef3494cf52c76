"""Futures whose outcome may come twice, or come when nobody waits for it any more."""

import asyncio
from typing import Any, TypeVar

Result = TypeVar("Result")


def resolve(future: "asyncio.Future[Result]", outcome: Result | Exception) -> None:
    """Give a future its result or its error, unless it has one or was canceled."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        retrieve(future)
    else:
        future.set_result(outcome)


def retrieve(future: "asyncio.Future[Any]") -> None:
    """Fetch the error of a future that is done, so that asyncio does not log it where nobody waits
    for it."""
    if not future.cancelled():
        future.exception()
