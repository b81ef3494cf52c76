"""Many calls at the same time, one statement."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Batcher(Generic[Item, Answer]):
    """Gathers what is asked for while the call before is under way, and answers it in one call.

    `run` gets at most `limit` items and returns one answer for each, in order; an answer that is
    an exception is raised to that caller alone, what `run` itself raises to all of them.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Item]], Awaitable[Sequence[Answer | Exception]]],
        *,
        limit: int = 500,
    ) -> None:
        self._run = run
        self._limit = limit
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._task: asyncio.Task[None] | None = None

    async def ask(self, item: Item) -> Answer:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._task is None:
            self._task = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[: self._limit]
                del self._waiting[: self._limit]
                await self._answer(batch)
        finally:
            self._task = None

    async def _answer(self, batch: list[tuple[Item, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await self._run([item for item, _ in batch])
        except Exception as error:
            answers = [error] * len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.done():
                continue  # its caller has gone
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
