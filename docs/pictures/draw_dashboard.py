"""Draws what Grafana's dashboard shows, of two machines under load: `make pictures`.

There is no Grafana here. The panels, their places and expressions are those of
`deploy/grafana/heliograph.json`, and what they show comes from a real Prometheus. In the middle one
of the machines is stopped for a while.
"""

import asyncio
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests")]

# ruff: noqa: E402 - they are found there alone
from chaos.load import Load, Phones
from chaos.world import made_world
from prometheus_server import PrometheusServer, running_prometheus

DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/heliograph.json").read_text())
RULES = ROOT / "deploy" / "prometheus" / "heliograph-alerts.yaml"
WARM_UP, BEFORE, STOPPED, AFTER = 20, 50, 20, 50  # seconds
PER_SECOND = 40

COLUMN, LINE, GAP = 50, 25, 4  # pixels of a unit of the grid
COLOURS = 8
FONTS = "-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"
DESCRIPTION = (
    "Figures of now on top; below them lines over time: messages and requests a second, latencies, "
    "what waits, webhook posts, accounts, nodes, the database, and the machines."
)
STYLE = """
    .paper { fill: #f4f5f5; }
    .panel { fill: #ffffff; stroke: #d8dee4; }
    .axis { stroke: #e4e8ec; }
    .title { fill: #1f2328; font-size: 12px; font-weight: 600; }
    .row { fill: #1f2328; font-size: 13px; font-weight: 600; }
    .note { fill: #4b545d; font-size: 10.5px; }
    .value { font-size: 26px; font-weight: 600; }
    .text { fill: #1f2328; }
    polyline { fill: none; stroke-width: 1.4; }
    .green { fill: #1a7f37; } .orange { fill: #bc4c00; } .red { fill: #cf222e; }
    .c0 { stroke: #2f6fb3; } .c1 { stroke: #2b7a4b; } .c2 { stroke: #a4622a; }
    .c3 { stroke: #8250df; } .c4 { stroke: #1b7c83; } .c5 { stroke: #cf222e; }
    .c6 { stroke: #9a6700; } .c7 { stroke: #bf3989; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; }
      .panel { fill: #161b22; stroke: #30363d; }
      .axis { stroke: #262c33; }
      .title, .row, .text { fill: #e6edf3; }
      .note { fill: #adb6bf; }
      .green { fill: #57ab5a; } .orange { fill: #e0823d; } .red { fill: #f47067; }
      .c0 { stroke: #6ea8e0; } .c1 { stroke: #57ab7a; } .c2 { stroke: #d9955b; }
      .c3 { stroke: #b083f0; } .c4 { stroke: #4fb8c0; } .c5 { stroke: #f47067; }
      .c6 { stroke: #d4a72c; } .c7 { stroke: #e275ad; }
    }
"""


@dataclass(frozen=True)
class Series:
    """What a panel's line is called, and its points: seconds since the beginning, value."""

    name: str
    points: list[tuple[float, float]]

    @property
    def last(self) -> float:
        return self.points[-1][1]


async def record(folder: Path) -> list[list[Series]]:
    """What each panel shows."""
    async with made_world(folder, machines=1, nodes=1) as world:
        second = world.new_machine()
        second.host_name = "machine-2"  # or each would count the other's nodes as its own
        await second.start()
        for machine in world.machines:
            machine.data_dir.mkdir(exist_ok=True)
        with running_prometheus([machine.port for machine in world.machines], RULES) as prometheus:
            load = Load(world, clients=8, per_second=PER_SECOND)
            async with load.running(), Phones(world).running():
                await asyncio.sleep(WARM_UP)
                began = time.time()
                await asyncio.sleep(BEFORE)
                await second.stop()
                await asyncio.sleep(STOPPED)
                await second.start()
                await asyncio.sleep(AFTER)
                return [
                    list(ask(prometheus, panel, began, time.time()))
                    for panel in DASHBOARD["panels"]
                ]


def ask(
    prometheus: PrometheusServer, panel: dict[str, Any], began: float, ended: float
) -> Iterator[Series]:
    """The series of a panel, named as Grafana names them."""
    for target in panel.get("targets", []):
        expression = target["expr"].replace("$instance", ".*").replace("$__rate_interval", "10s")
        for found in prometheus.query_range(expression, began, ended):
            name = target["legendFormat"]
            for label, value in found["metric"].items():
                name = name.replace("{{" + label + "}}", value)
            numbers = [(at - began, float(value)) for at, value in found["values"]]
            points = [(at, number) for at, number in numbers if math.isfinite(number)]
            if points:
                yield Series(name, points)


def draw(shown: Sequence[Sequence[Series]]) -> str:
    panels = list(zip(DASHBOARD["panels"], shown, strict=True))
    seconds = max(at for _, lines in panels for line in lines for at, _ in line.points)
    height = LINE * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel, _ in panels)
    parts = [part for panel, lines in panels for part in draw_panel(panel, lines, seconds)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {24 * COLUMN} {height}"',
            f'  role="img" aria-labelledby="title desc" font-family="{FONTS}">',
            '<title id="title">What the dashboard shows of two machines under load</title>',
            f'<desc id="desc">{DESCRIPTION}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{24 * COLUMN}" height="{height}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def draw_panel(panel: dict[str, Any], lines: Sequence[Series], seconds: float) -> list[str]:
    grid = panel["gridPos"]
    x, y = grid["x"] * COLUMN + GAP, grid["y"] * LINE + GAP
    width, height = grid["w"] * COLUMN - 2 * GAP, grid["h"] * LINE - 2 * GAP
    if panel["type"] == "row":
        return [f'<text class="row" x="{x + 4}" y="{y + 13}">▾ {escape(panel["title"])}</text>']
    parts = [
        f'<rect class="panel" x="{x}" y="{y}" width="{width}" height="{height}" rx="3"/>',
        f'<text class="title" x="{x + 10}" y="{y + 18}">{escape(panel["title"])}</text>',
    ]
    if panel["type"] == "stat":
        return parts + draw_stat(panel, lines, x, y, width, height)
    return parts + draw_lines(panel, lines, seconds, (x, y, width, height))


def draw_stat(
    panel: dict[str, Any], lines: Sequence[Series], x: int, y: int, width: int, height: int
) -> list[str]:
    defaults = panel["fieldConfig"]["defaults"]
    value = lines[0].last if lines else 0.0
    colour = "text"
    for step in defaults["thresholds"]["steps"]:
        if step["value"] is None or value >= step["value"]:
            colour = step["color"]
    return [
        f'<text class="value {colour}" x="{x + width / 2}" y="{y + height - 18}" '
        f'text-anchor="middle">{write(value, defaults["unit"])}</text>'
    ]


def draw_lines(
    panel: dict[str, Any],
    lines: Sequence[Series],
    seconds: float,
    place: tuple[int, int, int, int],
) -> list[str]:
    unit = panel["fieldConfig"]["defaults"]["unit"]
    x, y, width, height = place
    left, right = x + 62, x + width - 12
    top, bottom = y + 30, y + height - 34
    highest = max((value for line in lines for _, value in line.points), default=0.0) * 1.1 or 1.0
    parts = []
    for share in (0.0, 0.5, 1.0):
        at = bottom - share * (bottom - top)
        parts.append(f'<path class="axis" d="M{left} {at:.1f}H{right}"/>')
        parts.append(
            f'<text class="note" x="{left - 6}" y="{at + 3.5:.1f}" text-anchor="end">'
            f"{write(share * highest, unit)}</text>"
        )
    named = left
    room = max(60.0, (right - left) / max(1, len(lines)))
    for number, line in enumerate(lines):
        colour = f"c{number % COLOURS}"
        points = " ".join(
            f"{left + at / seconds * (right - left):.1f},"
            f"{bottom - value / highest * (bottom - top):.1f}"
            for at, value in line.points
        )
        parts += [
            f'<polyline class="{colour}" points="{points}"/>',
            f'<path class="{colour}" stroke-width="3" d="M{named} {y + height - 15}h12"/>',
            f'<text class="note" x="{named + 16}" y="{y + height - 11}">{escape(line.name)}</text>',
        ]
        named += int(min(room, 30 + 6 * len(line.name)))
    return parts


def write(value: float, unit: str) -> str:
    """A value with its unit, as Grafana writes it."""
    match unit:
        case "s" if value < 1:
            return f"{value * 1000:.3g} ms"
        case "s":
            return f"{value:.3g} s"
        case "bytes":
            power = min(4, int(math.log(value, 1024))) if value >= 1 else 0
            return f"{value / 1024**power:.3g} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"
        case "bool":
            return "yes" if value == 1 else "no" if value == 0 else ""
        case "ops" | "reqps":
            return f"{value:.3g} /s"
        case _:
            return f"{value:.3g}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        shown = asyncio.run(record(Path(folder)))
    (HERE / "grafana.svg").write_text(draw(shown), encoding="utf-8")


if __name__ == "__main__":
    main()
