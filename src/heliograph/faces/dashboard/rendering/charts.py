"""Charts of days, drawn by the server: a bar for each day, stacked by state.

They need no script, and their colors are those of the page, light or dark.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.statistics.service import RECEIVED, DailyCounts

HEIGHT = 100.0
WIDTH = 10.0
"""The width of a bar with its margins, in the drawing's own units."""
STATES = (
    RECEIVED,
    MessageStatus.READ,
    MessageStatus.DELIVERED,
    MessageStatus.SENT,
    MessageStatus.SENDING,
    MessageStatus.QUEUED,
    MessageStatus.SCHEDULED,
    MessageStatus.CANCELED,
    MessageStatus.FAILED,
)
"""From the bottom of a bar to its top."""
_MAX_STEPS = 5


@dataclass(frozen=True, slots=True)
class ChartPart:
    """One state of a day: `y` is its upper edge."""

    state: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    day: date
    total: int
    counts: Sequence[tuple[str, int]]
    parts: Sequence[ChartPart]


@dataclass(frozen=True, slots=True)
class DayChart:
    """`scale` lists the figures beside the drawing, from its upper edge down to 0."""

    bars: Sequence[Bar]
    states: Sequence[str]
    scale: Sequence[int]

    @property
    def lines(self) -> Sequence[float]:
        """The position of each figure's line in the drawing."""
        steps = len(self.scale) - 1
        return [round(HEIGHT * n / steps, 3) for n in range(steps + 1)]

    @property
    def width(self) -> float:
        return WIDTH * len(self.bars)


def draw_days(days: Sequence[DailyCounts]) -> DayChart:
    states = [state for state in STATES if any(day.counts.get(state) for day in days)]
    scale = _scale(max((sum(day.counts.values()) for day in days), default=0))
    return DayChart([_draw(day, states, scale[0]) for day in days], states, scale)


def _draw(day: DailyCounts, states: Iterable[str], top: int) -> Bar:
    counts = [(state, day.counts[state]) for state in states if day.counts.get(state, 0) > 0]
    parts, y = [], HEIGHT
    for state, count in counts:
        height = HEIGHT * count / top
        y -= height
        parts.append(ChartPart(state, round(y, 3), round(height, 3)))
    return Bar(day.day, sum(count for _, count in counts), counts, parts)


def _scale(most: int) -> list[int]:
    """Return whole figures from the next round one that is as much as there is, down to 0: it is 1,
    1.5, 2, 2.5, 3, 4, 5, 6 or 8 with zeros."""
    step = _step(most)
    steps = max(1, -(-most // step))
    return [step * n for n in range(steps, -1, -1)]


def _step(most: int) -> int:
    """Return the least round number of which a few are as much as there is."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if step * _MAX_STEPS >= most:
                return step
        power *= 10
