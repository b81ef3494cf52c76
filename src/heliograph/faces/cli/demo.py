"""The demo of `serve --demo`: made before the first node starts, with what to try, and
`heliograph demo code`, which shows the code to sign in with, and `heliograph demo fill`.
"""

import asyncio
import shlex
from urllib.parse import urlencode

import msgspec
import typer
from rich.panel import Panel
from rich.text import Text

from heliograph.app.bootstrap import open_gateway
from heliograph.core.demo import FILE, Demo, find_demo
from heliograph.core.services import Services
from heliograph.errors import ConfigurationError
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.demo_day import Day
from heliograph.faces.cli.output import Screen, call_of, show_progress
from heliograph.faces.cli.running import run
from heliograph.faces.coding_tools import PATH, claude_code_command
from heliograph.faces.local_sign_in import codes
from heliograph.faces.local_sign_in.codes import read_code, sign_in_link
from heliograph.networks.errors import NetworkError
from heliograph.platform.files.data_dir import is_locked
from heliograph.settings import Settings, load_settings

app = Commands(help="The demo that `serve --demo` runs.", no_args_is_help=True)

REQUEST = {
    "body": "Shall we deliver tomorrow?",
    "buttons": [
        {"id": "yes", "title": "Yes, please"},
        {"id": "later", "title": "Another day"},
        {"id": "cancel", "title": "Cancel it"},
    ],
    "footer": "Heliograph demo",
}


def prepare_demo(settings: Settings) -> str:
    """Make the demo if there is none; return what to say of it once the gateway is ready."""

    async def ensure() -> Demo:
        async with open_gateway(settings) as services:
            return await services.demo.ensure(settings.data_dir / FILE, settings.public_url)

    demo = asyncio.run(ensure())
    code = read_code(settings.data_dir / codes.FILE) if settings.has_local_sign_in else None
    console = Screen()
    with console.capture() as captured:
        print_demo(console, demo, settings, code)
    return captured.get()


def curl_command(demo: Demo) -> str:
    """Return the command that sends buttons from the demo account to its contact."""
    body = msgspec.json.encode({"phone_number": demo.contact_phone, **REQUEST}).decode()
    url = f"{demo.base_url}/api/v1/messages/send/interactive/buttons"
    return " \\\n  ".join(
        [
            f"curl -sS {shlex.quote(url)}",
            f"-H {shlex.quote(f'Authorization: Bearer {demo.api_key}')}",
            "-H 'Content-Type: application/json'",
            f"-d {shlex.quote(body)}",
        ]
    )


def phone_url(demo: Demo) -> str:
    """Return the address of the page that is the phone of the demo's contact."""
    page = f"{demo.base_url}/dashboard/{demo.organization_id}/phone/{demo.chat_account_id}"
    return f"{page}?{urlencode({'with': demo.contact_phone})}"


def print_demo(console: Screen, demo: Demo, settings: Settings, code: str | None) -> None:
    """Say what to do next; `code` is for the first sign-in. Text to copy has no frame around it."""
    title = Text("Heliograph is ready", style="bold green")
    facts = Text.assemble(
        ("API         ", "dim"), f"{demo.base_url}/api/v1\n",
        ("Dashboard   ", "dim"), f"{demo.base_url}/dashboard\n",
        ("Reference   ", "dim"), f"{demo.base_url}/docs\n",
        ("Help        ", "dim"), f"{demo.base_url}/help\n",
        ("Tool server ", "dim"), f"{demo.base_url}{PATH}\n",
        ("Demo key    ", "dim"), f"in {settings.data_dir / FILE}\n",
        ("Stop        ", "dim"), "Ctrl-C",
    )  # fmt: skip
    console.print(Panel(facts, title=title, title_align="left", border_style="green"))
    command = call_of(settings)
    if code is not None:
        heading = f"\nThe dashboard, with the sign-in code {code}, good once:"
        console.print(Text(heading, style="bold"))
        console.print(f"  {sign_in_link(demo.base_url, code)}", soft_wrap=True)
        console.print(
            f"  (once it is used, another: {command} demo code)", style="dim", soft_wrap=True
        )
    steps = (  # numbered as in the README, whose first step is `serve --demo`
        ("2. In a second terminal, watch the webhooks:", f"  {command} listen"),
        ("3. Send three buttons, in a third:", curl_command(demo)),
        (
            "4. Be the phone: see the message, press a button, in the browser or from here:",
            f"  {phone_url(demo)}\n"
            f"  {command} {demo.network} receive {demo.contact_phone}\n"
            f"  {command} {demo.network} press {demo.contact_phone} yes",
        ),
        (
            "Or let an AI coding tool do it (others: the dashboard, under Developers):",
            claude_code_command(demo.base_url, demo.api_key),
        ),
    )
    for heading, text in steps:
        console.print(Text(f"\n{heading}", style="bold"))
        console.print(text, soft_wrap=True)
    console.print()


@app.callback()
def _demo() -> None:
    """The demo that `serve --demo` runs."""


@app.command()
def code() -> None:
    """Show the code for the next sign-in to the demo's dashboard."""
    data_dir = load_settings().data_dir
    demo, found = find_demo(data_dir), read_code(data_dir / codes.FILE)
    if demo is None or found is None or not is_locked(data_dir):
        raise ConfigurationError(
            f"No demo with a sign-in of its own is running on {data_dir}.",
            remedy="Start it with `heliograph serve --demo`, or set HELIOGRAPH_DATA_DIR to its "
            "folder.",
        )
    typer.echo(f"{found}, good for one sign-in:\n  {sign_in_link(demo.base_url, found)}")


@app.command()
def fill() -> None:
    """Fill the running demo with a shop's day: customers write and press, the shop answers."""
    settings = load_settings()
    demo = find_demo(settings.data_dir)
    if demo is None or not is_locked(settings.data_dir):
        raise ConfigurationError(
            f"No demo is running on {settings.data_dir}.",
            remedy="Start it with `heliograph serve --demo`, or set HELIOGRAPH_DATA_DIR to its "
            "folder.",
        )

    async def play(services: Services) -> int:
        account = await services.accounts.find_for_cli(demo.chat_account_id)
        with show_progress("A shop's day") as progress:
            return await Day(services, account).play(progress)

    try:
        steps = run(play)
    except NetworkError as error:
        typer.echo(f"heliograph: {error.reason}", err=True)
        raise typer.Exit(1) from error
    typer.echo(f"The demo now has a shop's day ({steps} events). Look at {demo.base_url}/dashboard")
