"""The pairing of an account in a terminal: the code to scan or to type, as it changes."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from rich.console import Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.style import Style
from rich.text import Text

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.qr_codes import list_modules
from heliograph.faces.cli.output import Screen, name_status, show_time
from heliograph.networks.port import AccountStatus

_LOOK_INTERVAL = 0.5
_LINES_BESIDE = 5
_HALVES = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
_ON_PAPER = Style(color="#ffffff", bgcolor="#000000")  # whatever the terminal's own colors are


async def follow_pairing(look: Callable[[], Awaitable[Account]], screen: Screen) -> Account:
    """Show what has to be done until the account is connected or logged out; return the account."""
    account = await look()
    with Live(_show(account, screen), console=screen, auto_refresh=True, transient=True) as live:
        while account.status not in (AccountStatus.CONNECTED, AccountStatus.LOGGED_OUT):
            await asyncio.sleep(_LOOK_INTERVAL)
            account = await look()
            live.update(_show(account, screen))
    return account


def _show(account: Account, screen: Screen) -> RenderableType:
    step = account.pairing or {}
    payload = str(step.get("payload", ""))
    if not payload:
        reason = f": {account.status_reason}" if account.status_reason else ""
        return Spinner("dots", Text(f"{account.name} is {name_status(account.status)}{reason}"))
    parts: list[RenderableType] = []
    if step.get("kind") == "qr":
        parts += _qr_code(payload, screen)
    else:
        parts += [Text("Type this code on the phone:"), Text(f"\n    {payload}\n", style="bold")]
    if step.get("expires_at"):
        expiry = datetime.fromisoformat(str(step["expires_at"]))
        parts.append(Text(f"Good until {show_time(expiry)}; then a new one appears.", style="dim"))
    parts.append(Spinner("dots", Text(f"Waiting for the phone of {account.name}; Ctrl-C stops")))
    return Group(*parts)


def _qr_code(payload: str, screen: Screen) -> list[RenderableType]:
    code = draw_code(payload)
    if code is None:
        return [Text("Scan a QR code of:"), Text(payload, style="bold")]
    lines = code.plain.count("\n") + 1
    width = len(code.plain.partition("\n")[0])
    if lines + _LINES_BESIDE > screen.height or width > screen.width:
        room = f"{width} columns and {lines + _LINES_BESIDE} lines"
        hint = f"Make this window larger ({room}) to see the QR code, or scan one of:"
        return [Text(hint), Text(payload, style="bold")]
    return [Text("Scan this code with the phone:"), code]


def draw_code(payload: str) -> Text | None:
    """Return the QR code, two rows of modules in a line; None for a payload too long for one."""
    rows = list_modules(payload, error="l")  # the smaller the code, the smaller the window can be
    if rows is None:
        return None
    if len(rows) % 2:
        rows = [*rows, [False] * len(rows[0])]
    lines = [
        "".join(_HALVES[not upper, not lower] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
    return Text("\n".join(lines), style=_ON_PAPER, no_wrap=True)
