"""Spreads out what would begin all at once. No I/O."""


class Pacer:
    """Each turn comes `gap` seconds after the one before it, and `longest` after it was asked for
    at most.

    Where so many ask that the line would be longer, those at its end begin together: this bounds
    how much begins in one moment, not how much in an hour.
    """

    def __init__(self, gap: float, longest: float) -> None:
        self._gap = gap
        self._longest = longest
        self._next = 0.0

    def take(self, now: float) -> float:
        """Seconds until the caller's turn; 0 after a quiet moment. `now` never goes back."""
        turn = min(max(now, self._next), now + self._longest)
        self._next = turn + self._gap
        return turn - now
