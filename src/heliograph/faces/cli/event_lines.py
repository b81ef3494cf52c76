"""An event on the terminal: one line, and a second one for what does not fit there.

The tick says that the signature was verified.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from rich.text import Text

from heliograph.platform.terminal import plain

_STYLES = {
    "message.received": "bold cyan",
    "message.sent": "blue",
    "message.delivered": "green",
    "message.read": "bold green",
    "message.failed": "bold red",
    "device.connected": "bold yellow",
    "device.disconnected": "red",
    "device.logged_out": "bold red",
}
_TYPE_WIDTH = 19
_TEXT_WIDTH = 60
_INDENT = " " * 11


def event_lines(body: Mapping[str, Any]) -> list[Text]:
    """`body` is that of a webhook request, decoded. What a terminal would obey is not in them."""
    lines = _lines(body)
    for line in lines:
        line.plain = plain(line.plain)
    return lines


def _lines(body: Mapping[str, Any]) -> list[Text]:
    event_type, data = str(body["type"]), body["data"]
    line = Text.assemble(
        (_time(str(body["timestamp"])), "dim"),
        (" ✓ ", "green"),
        (f"{event_type:<{_TYPE_WIDTH}}", _STYLES.get(event_type, "yellow")),
    )
    category = event_type.partition(".")[0]
    if category == "message":
        return [line + _message(data), *_details(_message_details(data))]
    if category == "device":
        return [line + _device(data), *_details(_device_details(data))]
    return [line]


def answer_line(answer: Text) -> Text:
    """What the place it was passed on to has answered."""
    return Text(_INDENT) + answer


def _time(timestamp: str) -> str:
    """The local time of day."""
    return datetime.fromisoformat(timestamp).astimezone().strftime("%H:%M:%S")


def _message(data: Mapping[str, Any]) -> Text:
    return Text.assemble(
        "  ",
        (str(data.get("phone_number") or "?"), "bold"),
        (f" {data['contact_name']}" if data.get("contact_name") else "", "dim"),
        f"  “{_cut(str(data.get('content') or ''))}”",
    )


def _message_details(data: Mapping[str, Any]) -> Iterable[Text]:
    if button := data.get("button"):
        yield Text.assemble((f" {button['title']} ", "reverse cyan"), (f" {button['id']}", "cyan"))
    said = data.get("typed_content") or {}
    if said.get("type") == "list_reply":
        yield Text.assemble((f" {said['title']} ", "reverse cyan"), (f" {said['id']}", "cyan"))
    if answered := data.get("reply_to_message_id"):
        yield Text(f"answers {answered}", style="dim")
    if reason := data.get("failure_reason"):
        yield Text(str(reason), style="red")


def _device(data: Mapping[str, Any]) -> Text:
    return Text.assemble(
        "  ",
        (str(data.get("phone_number") or "—"), "bold"),
        f"  {data.get('name', '')} ({data.get('session_name', '')})",
    )


def _device_details(data: Mapping[str, Any]) -> Iterable[Text]:
    if reason := data.get("reason"):
        yield Text(str(reason), style="dim")


def _details(parts: Iterable[Text]) -> list[Text]:
    found = list(parts)
    return [Text(_INDENT) + Text("  ").join(found)] if found else []


def _cut(content: str) -> str:
    line = " ".join(content.split())
    return line if len(line) <= _TEXT_WIDTH else line[: _TEXT_WIDTH - 1] + "…"
