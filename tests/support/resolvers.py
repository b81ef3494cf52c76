"""Resolvers for the guarded client that answer as a test wants."""

from collections.abc import Awaitable, Callable, Sequence


class Names:
    """A resolver that keeps nothing."""

    def __init__(self, ask: Callable[[str], Awaitable[Sequence[str]]]) -> None:
        self._ask = ask

    def find_kept(self, _: str) -> None:
        return None

    async def __call__(self, host: str) -> Sequence[str]:
        return await self._ask(host)


def resolving_to(*answers: Sequence[str]) -> Names:
    """A name server whose answers change from one question to the next; the last one stays."""
    left = list(answers)

    async def resolve(_: str) -> Sequence[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return Names(resolve)
