"""A virtual phone on the terminal: the chat as bubbles, buttons under them."""

from collections.abc import Mapping, Sequence

from rich.align import Align
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from heliograph.faces.cli.output import Screen, print_table
from heliograph.networks.content import Buttons
from heliograph.networks.port import Person, SimulatedMessage
from heliograph.platform.terminal import plain

_TICKS = {"sent": ("✓", "dim"), "delivered": ("✓✓", "dim"), "read": ("✓✓", "bright_blue")}
_WIDEST = 60


def print_chat(
    console: Screen, title: str, messages: Sequence[SimulatedMessage], names: Mapping[str, str]
) -> None:
    """The chat, oldest first: what the phone's owner sent on the right, the rest on the left."""
    console.rule(Text(plain(title)))
    for message in messages:
        print_bubble(console, message, names)
    if not messages:
        console.print("Nothing has arrived here yet.", style="dim", justify="center")


def print_bubble(
    console: Screen, message: SimulatedMessage, names: Mapping[str, str] | None = None
) -> None:
    width = min(_WIDEST, console.width - 4)
    bubble = Panel(
        _inside(message),
        title=None if message.mine else _sender(message, names or {}),
        title_align="left",
        subtitle=_foot(message),
        subtitle_align="right",
        border_style="green" if message.mine else "cyan",
        width=min(width, _widest_line(message) + 6),
    )
    console.print(Align(bubble, "right" if message.mine else "left"))


def print_people(people: Sequence[Person]) -> None:
    rows = [
        (
            person.phone_number,
            person.name,
            Text("on", "green") if person.online else Text("off", "red"),
            Text(person.note, "yellow"),
        )
        for person in people
    ]
    print_table(("phone", "name", "", ""), rows, empty="There is nobody.")


def _inside(message: SimulatedMessage) -> RenderableType:
    content = message.content
    body = Text(plain(content.summary))
    if not isinstance(content, Buttons):
        return body
    parts: list[RenderableType] = [body]
    if content.footer:
        parts.append(Text(plain(content.footer), "dim italic"))
    buttons = [
        Text.assemble((f" {plain(button.title)} ", "reverse"), (f" {plain(button.id)}", "dim"))
        for button in content.buttons
    ]
    return Group(*parts, Text(), Columns(buttons, padding=(0, 3)))


def _foot(message: SimulatedMessage) -> Text:
    foot = Text(f"{message.sent_at.astimezone():%H:%M:%S}", "dim")
    if not message.mine:
        ticks, style = _TICKS.get(message.status, (message.status, "dim"))
        foot.append(f" {ticks}", style)
    return foot


def _sender(message: SimulatedMessage, names: Mapping[str, str]) -> Text:
    return Text(plain(names.get(message.sender_jid, "Account")), "bold cyan")


def _widest_line(message: SimulatedMessage) -> int:
    content = message.content
    lines = content.summary.splitlines()
    if isinstance(content, Buttons):
        lines.append(content.footer or "")
        lines.append("".join(f" {button.title}  {button.id}   " for button in content.buttons))
    return max([20, *(len(line) for line in lines)])
