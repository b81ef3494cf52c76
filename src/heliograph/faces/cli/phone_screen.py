"""A virtual phone on the terminal: the chat as bubbles, buttons under them."""

from collections.abc import Sequence

from rich.align import Align
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from heliograph.core.accounts.simulator import Bubble
from heliograph.faces.cli.output import Screen, print_table
from heliograph.networks.port import Person
from heliograph.platform.terminal import plain

_TICKS = {"sent": ("✓", "dim"), "delivered": ("✓✓", "dim"), "read": ("✓✓", "bright_blue")}
_WIDEST = 60


def print_chat(console: Screen, title: str, bubbles: Sequence[Bubble]) -> None:
    """The chat, oldest first: what the phone's owner sent on the right, the rest on the left."""
    console.rule(Text(plain(title)))
    for bubble in bubbles:
        print_bubble(console, bubble)
    if not bubbles:
        console.print("Nothing has arrived here yet.", style="dim", justify="center")


def print_bubble(console: Screen, bubble: Bubble) -> None:
    width = min(_WIDEST, console.width - 4)
    panel = Panel(
        _inside(bubble),
        title=Text(plain(bubble.author), "bold cyan") if bubble.author else None,
        title_align="left",
        subtitle=_foot(bubble),
        subtitle_align="right",
        border_style="green" if bubble.mine else "cyan",
        width=min(width, _widest_line(bubble) + 6),
    )
    console.print(Align(panel, "right" if bubble.mine else "left"))


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
    print_table(("phone", "name", "", ""), rows, empty="There are no phones yet.")


def _inside(bubble: Bubble) -> RenderableType:
    body = Text(plain(bubble.text))
    if not bubble.buttons:
        return body
    parts: list[RenderableType] = [body]
    if bubble.footer:
        parts.append(Text(plain(bubble.footer), "dim italic"))
    buttons = [
        Text.assemble((f" {plain(button.title)} ", "reverse"), (f" {plain(button.id)}", "dim"))
        for button in bubble.buttons
    ]
    return Group(*parts, Text(), Columns(buttons, padding=(0, 3)))


def _foot(bubble: Bubble) -> Text:
    foot = Text(f"{bubble.sent_at.astimezone():%H:%M:%S}", "dim")
    if not bubble.mine:
        ticks, style = _TICKS.get(bubble.status, (bubble.status, "dim"))
        foot.append(f" {ticks}", style)
    return foot


def _widest_line(bubble: Bubble) -> int:
    buttons = "".join(f" {button.title}  {button.id}   " for button in bubble.buttons)
    lines = [*bubble.text.splitlines(), bubble.footer or "", buttons]
    return max([20, *(len(line) for line in lines)])
