"""Actions that run concurrently but take effect in the order in which they began."""

from collections import deque
from collections.abc import Callable


class Turn:
    """A place in the order. Every turn has to be used, even if its action does nothing."""

    def __init__(self, turns: "Turns") -> None:
        self._turns = turns
        self.action: Callable[[], None] | None = None

    def use(self, action: Callable[[], None]) -> None:
        """Run `action` once all earlier turns have been used; immediately if they have."""
        self.action = action
        self._turns.go_on()


class Turns:
    def __init__(self) -> None:
        self._waiting: deque[Turn] = deque()

    def take(self) -> Turn:
        turn = Turn(self)
        self._waiting.append(turn)
        return turn

    def go_on(self) -> None:
        """Run the actions whose turn has come."""
        while self._waiting and (action := self._waiting[0].action) is not None:
            self._waiting.popleft()
            action()
