"""Draw `capacity.svg` from the model of capacity: how many cores a rate of messages needs."""

import math
from collections.abc import Callable
from pathlib import Path

from bench.capacity.costs import load_costs
from bench.capacity.report import Need, need_of

PICTURE = Path(__file__).parent / "capacity.svg"

_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 760, 80, 400
_RATES = (100, 100_000)
_CORES = (0.1, 1000)
_MEASURED = 1_400
_POINTS = 25

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 460" role="img" \
aria-labelledby="title desc" font-family="-apple-system, 'Segoe UI', 'Helvetica Neue', \
'DejaVu Sans', Arial, sans-serif">
  <title id="title">Cores that a rate of messages needs, as the model predicts</title>
  <desc id="desc">{text}</desc>
  <style>
    .paper {{ fill: #ffffff; stroke: #d0d7de; }}
    .grid {{ stroke: #d8dee4; }}
    .mark {{ stroke: #8250df; stroke-dasharray: 5 4; }}
    .known {{ fill: #ddf0e4; }}
    .nodes {{ fill: none; stroke: #2b7a4b; stroke-width: 3; }}
    .postgres {{ fill: none; stroke: #0969da; stroke-width: 3; }}
    .name {{ fill: #1f2328; font-size: 15px; font-weight: 600; }}
    .note {{ fill: #4b545d; font-size: 12.5px; }}
    @media (prefers-color-scheme: dark) {{
      .paper {{ fill: #0d1117; stroke: #30363d; }}
      .grid {{ stroke: #30363d; }}
      .mark {{ stroke: #bc8cff; }}
      .known {{ fill: #12311f; }}
      .nodes {{ stroke: #57ab7a; }}
      .postgres {{ stroke: #58a6ff; }}
      .name {{ fill: #e6edf3; }}
      .note {{ fill: #adb6bf; }}
    }}
  </style>
  <rect class="paper" x="0.5" y="0.5" width="959" height="459" rx="12"/>
  <text class="name" x="24" y="36">Cores that a rate of messages needs</text>
"""


def draw() -> str:
    """Return the picture."""
    needs = [_need(number / (_POINTS - 1)) for number in range(_POINTS)]
    last = needs[-1]
    text = (
        f"Both axes are logarithmic. At {last.rate:,.0f} messages a second, {last.nodes:,} nodes "
        f"and {last.postgres_cores:,.0f} cores of PostgreSQL. Up to about {_MEASURED:,} a second "
        "was measured, the rest is extrapolated."
    )
    return "".join(
        [
            _HEAD.format(text=text),
            *_frame(),
            _line("nodes", needs, lambda need: need.nodes),
            _line("postgres", needs, lambda need: need.postgres_cores),
            _text("name", _RIGHT + 8, _y(last.nodes) - 2, "nodes, a core each"),
            _text("name", _RIGHT + 8, _y(last.postgres_cores) + 12, "PostgreSQL's cores"),
            "</svg>\n",
        ]
    )


def _need(share: float) -> Need:
    low, high = (math.log10(rate) for rate in _RATES)
    return need_of(load_costs(), 10 ** (low + share * (high - low)))


def _frame() -> list[str]:
    known = _x(_MEASURED) - _LEFT
    parts = [
        f'  <rect class="known" x="{_LEFT}" y="{_TOP}" width="{known:.1f}" '
        f'height="{_BOTTOM - _TOP}"/>\n',
        _text("note", _LEFT + 8, _TOP + 20, "measured on two cores"),
        _text("note", _x(_MEASURED) + 8, _TOP + 20, "extrapolated"),
    ]
    for rate in (100, 1_000, 10_000, 100_000):
        parts.append(_rule("grid", _x(rate), _TOP, _x(rate), _BOTTOM))
        parts.append(_text("note", _x(rate), _BOTTOM + 22, f"{rate:,}", "middle"))
    for cores in (0.1, 1, 10, 100, 1000):
        parts.append(_rule("grid", _LEFT, _y(cores), _RIGHT, _y(cores)))
        parts.append(_text("note", _LEFT - 8, _y(cores) + 4, f"{cores:,g}", "end"))
    for cores, name in ((64, "one server of 64 cores"), (256, "16 workers of 16 cores")):
        parts.append(_rule("mark", _LEFT, _y(cores), _RIGHT, _y(cores)))
        parts.append(_text("note", _LEFT + 8, _y(cores) - 6, name))
    middle = (_LEFT + _RIGHT) / 2
    parts.append(_text("note", middle, _BOTTOM + 44, "messages a second, the whole way", "middle"))
    return parts


def _line(kind: str, needs: list[Need], value: Callable[[Need], float]) -> str:
    points = " ".join(f"{_x(need.rate):.1f},{_y(value(need)):.1f}" for need in needs)
    return f'  <polyline class="{kind}" points="{points}"/>\n'


def _rule(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'  <line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>\n'


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'  <text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>\n'


def _x(rate: float) -> float:
    return _LEFT + _share(rate, *_RATES) * (_RIGHT - _LEFT)


def _y(cores: float) -> float:
    return _BOTTOM - _share(cores, *_CORES) * (_BOTTOM - _TOP)


def _share(value: float, low: float, high: float) -> float:
    return math.log(max(value, low) / low) / math.log(high / low)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
