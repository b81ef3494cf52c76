"""Draws the trace of one message, of a gateway of its own whose three machines each do one thing:
`make pictures`.

The spans are those that a collector is sent, and their times are real.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from html import escape
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent.parent / "tests"
sys.path[:0] = [str(TESTS / "support"), str(TESTS)]

# ruff: noqa: E402 - they are found there alone
from acceptance.hook_receiver import receiving_hooks
from acceptance.machines import Customer, Installation, Machine
from acceptance.running_program import BUTTONS, buttons, wait_for
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.platform.embedded.server import resolve_settings
from heliograph.settings import DataSettings, Settings
from otlp_receiver import Collector, ReceivedSpan, collecting

WIDTH, LABELS, ROW, TOP = 960, 330, 26, 78
ROLES = ("api", "sessions", "deliveries")
PHONE = "+15550100001"
FONTS = "-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"
DESCRIPTION = (
    "Spans as bars over time, each below its parent: the request and the acceptance on one node, "
    "the send and the states on a second, the attempts of the webhook on a third."
)
STYLE = """
    .paper { fill: #ffffff; stroke: #d0d7de; }
    .line { stroke: #d8dee4; }
    .name { fill: #1f2328; font-size: 12.5px; }
    .note { fill: #4b545d; font-size: 11.5px; }
    .head { fill: #1f2328; font-size: 15px; font-weight: 600; }
    .api { fill: #2b7a4b; }
    .sessions { fill: #2f6fb3; }
    .deliveries { fill: #a4622a; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; stroke: #30363d; }
      .line { stroke: #30363d; }
      .name { fill: #e6edf3; }
      .note { fill: #adb6bf; }
      .head { fill: #e6edf3; }
      .api { fill: #57ab7a; }
      .sessions { fill: #6ea8e0; }
      .deliveries { fill: #d9955b; }
    }
"""


@contextmanager
def machines(folder: Path) -> Iterator[tuple[Installation, list[Machine]]]:
    """One for each role, over the private PostgreSQL of the first."""
    made = Installation("", folder, {"TRACING": "on"}, secret_key="")
    with ExitStack() as stack:
        first = stack.enter_context(made.machine(ROLES=ROLES[0]))
        settings = resolve_settings(Settings(data=DataSettings(dir=first.folder / "data")))
        made.database_url = settings.database_url
        made.secret_key = settings.secret.keys[0].get_secret_value()
        others = [stack.enter_context(made.machine(ROLES=role)) for role in ROLES[1:]]
        yield made, [first, *others]


def play(made: Installation, api: Machine, collector: Collector) -> list[ReceivedSpan]:
    """The trace of the second message: the first one finds everything at rest."""
    customer = made.customer("Acme")
    with receiving_hooks() as receiver, api.client(customer) as client:
        _subscribe(made, customer, receiver.url)
        made.wait_until_connected()
        for _ in range(2):
            answer = client.post(BUTTONS, json=buttons(PHONE)).raise_for_status()
            told = ("message.sent", "message.delivered", "message.read")
            hooks = receiver.wait_for(answer.json()["message_id"], *told, seconds=60)
        trace_id = hooks[0].headers["traceparent"].split("-")[1]
        told_of = (f"{verb} {kind}" for verb in ("record", "POST") for kind in told)
        wanted = {f"POST {BUTTONS}", "send sandbox", *told_of}
        wait_for(lambda: wanted <= {span.name for span in collector.trace(trace_id)}, 60)
        return collector.trace(trace_id)


def _subscribe(made: Installation, customer: Customer, url: str) -> None:
    async def create(gateway: Services) -> None:
        await gateway.webhooks.create(operator(customer.organization.tenant), url, ["message.*"])

    made.with_services(create)


def in_order(
    spans: Sequence[ReceivedSpan], parent_id: str = "", depth: int = 0
) -> Iterator[tuple[int, ReceivedSpan]]:
    """Each span below its parent, and how deep it is."""
    below = [span for span in spans if span.parent_id == parent_id]
    for span in sorted(below, key=lambda span: (span.began, _last_end(spans, span))):
        yield depth, span
        yield from in_order(spans, span.span_id, depth + 1)


def _last_end(spans: Sequence[ReceivedSpan], parent: ReceivedSpan) -> int:
    """When the last of the spans below it has ended: of states that one transaction has written,
    the first is told first."""
    return max([span.ended for span in spans if span.parent_id == parent.span_id], default=0)


def draw(spans: Sequence[ReceivedSpan], roles: dict[str, str]) -> str:
    """The spans as bars over time. `roles` says what each node does."""
    began, ended = min(span.began for span in spans), max(span.ended for span in spans)
    room = WIDTH - LABELS - 90
    rows = list(in_order(spans))
    height = TOP + ROW * len(rows) + 18
    parts = []
    for number, (depth, span) in enumerate(rows):
        y = TOP + ROW * number
        x = LABELS + room * (span.began - began) / (ended - began)
        width = max(2.0, room * (span.ended - span.began) / (ended - began))
        name = span.name.replace(BUTTONS, "/api/v1/messages/…")
        took = f"{(span.ended - span.began) / 1e6:.1f} ms"
        parts += [
            f'<path class="line" d="M22 {y + ROW - 5}H{WIDTH - 22}"/>',
            f'<text class="name" x="{24 + 16 * depth}" y="{y + 13}">{escape(name)}</text>',
            f'<rect class="{roles[span.node]}" x="{x:.1f}" y="{y + 3}" width="{width:.1f}" '
            'height="13" rx="2"/>',
            f'<text class="note" x="{x + width + 6:.1f}" y="{y + 13}">{took}</text>',
        ]
    return _frame(height, (ended - began) / 1e6, parts)


def _frame(height: int, milliseconds: float, parts: Sequence[str]) -> str:
    key = [
        f'<rect class="{role}" x="{24 + 200 * number}" y="50" width="13" height="13" rx="2"/>'
        f'<text class="note" x="{44 + 200 * number}" y="61">a node of the role {role}</text>'
        for number, role in enumerate(ROLES)
    ]
    title = f"One message, {milliseconds:.0f} ms from the request to its last webhook"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"',
            f'  aria-labelledby="title desc" font-family="{FONTS}">',
            '<title id="title">The trace of one message</title>',
            f'<desc id="desc">{DESCRIPTION}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}"'
            ' rx="12"/>',
            f'<text class="head" x="24" y="34">{title}</text>',
            *key,
            *parts,
            "</svg>\n",
        ]
    )


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="heliograph-trace-") as folder,
        collecting() as collector,
        pytest.MonkeyPatch.context() as patch,
    ):
        Path(folder).chmod(0o755)
        for name, value in collector.environment.items():
            patch.setenv(name, value)
        with machines(Path(folder)) as (made, started):
            spans = play(made, started[0], collector)
            owners = {
                process: role
                for machine, role in zip(started, ROLES, strict=True)
                for process in machine.nodes()
            }
    roles = {span.node: owners[int(span.node.rpartition(":")[2])] for span in spans}
    (HERE / "trace.svg").write_text(draw(spans, roles), encoding="utf-8")


if __name__ == "__main__":
    main()
