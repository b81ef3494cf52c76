"""A virtual phone on the terminal: the chat as bubbles, buttons under them."""

from collections.abc import Iterator, Sequence

from rich.align import Align
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from heliograph.core.accounts.simulator import Bubble
from heliograph.faces.cli.output import Screen, print_table
from heliograph.networks.content import LinkPreview, ListMessage, Media, Poll, message_type
from heliograph.networks.content import Text as TextContent
from heliograph.networks.port import Person
from heliograph.platform.terminal import plain

_TICKS = {"sent": ("✓", "dim"), "delivered": ("✓✓", "dim"), "read": ("✓✓", "bright_blue")}
_WIDEST = 60


def print_chat(console: Screen, title: str, bubbles: Sequence[Bubble]) -> None:
    """Print the chat, oldest first: what the phone's owner sent on the right, all else on the
    left."""
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
    print_table(("phone", "name", "switched", "note"), rows, empty="There are no phones yet.")


def _inside(bubble: Bubble) -> RenderableType:
    parts: list[RenderableType] = [Text(line, style) for line, style in _lines(bubble)]
    if bubble.buttons:
        buttons = [
            Text.assemble((f" {plain(button.title)} ", "reverse"), (f" {plain(button.id)}", "dim"))
            for button in bubble.buttons
        ]
        parts += [Text(), Columns(buttons, padding=(0, 3))]
    return parts[0] if len(parts) == 1 else Group(*parts)


def _lines(bubble: Bubble) -> Iterator[tuple[str, str]]:
    """Yield everything that a message says except its buttons, with the style of each line."""
    if bubble.quote is not None:
        yield f"> {plain(bubble.quote.author or 'You')}: {plain(bubble.quote.text)}", "dim italic"
    if bubble.header:
        yield plain(bubble.header), "bold"
    if bubble.is_deleted:
        yield "This message was deleted.", "dim italic"
    else:
        yield plain(bubble.text), ""
    yield from ((plain(line), "") for line in bubble.content.details)
    yield from _details(bubble)
    if bubble.footer:
        yield plain(bubble.footer), "dim italic"
    if bubble.reactions:
        counts = (f"{emoji} {len(names)}" for emoji, names in bubble.reactions.items())
        yield plain("  ".join(counts)), ""


def _details(bubble: Bubble) -> Iterator[tuple[str, str]]:
    match bubble.content:
        case ListMessage(button=button, sections=sections):
            yield plain(f"[{button}]"), "bold"
            for section in sections:
                if section.title:
                    yield plain(section.title), "bold dim"
                for row in section.rows:
                    yield plain(f"  {row.title}  {row.id}"), ""
        case Poll():
            for answer in bubble.answers:
                mark = "☑" if answer.is_mine else "☐"
                yield plain(f"{mark} {answer.title}  {len(answer.voters)}"), ""
        case Media(media_type=media_type):
            size = "" if bubble.content.size is None else f", {bubble.content.size} bytes"
            name = bubble.content.file_name or message_type(bubble.content)
            yield plain(f"{name} ({media_type}{size})"), "dim"
            if bubble.has_file:
                yield plain(bubble.chat_message_id), "dim"
        case TextContent(preview=LinkPreview(url=url, title=title)):
            yield plain(f"{title} · {url}"), "dim"


def _foot(bubble: Bubble) -> Text:
    foot = Text(f"{bubble.sent_at.astimezone():%H:%M:%S}", "dim")
    if bubble.is_edited:
        foot = Text("edited ", "dim") + foot
    if not bubble.mine or bubble.status == "read":
        ticks, style = _TICKS.get(bubble.status, (bubble.status, "dim"))
        foot.append(f" {ticks}", style)
    return foot


def _widest_line(bubble: Bubble) -> int:
    buttons = "".join(f" {button.title}  {button.id}   " for button in bubble.buttons)
    lines = [part for line, _ in _lines(bubble) for part in line.splitlines()]
    return max([20, len(buttons), *(len(line) for line in lines)])
