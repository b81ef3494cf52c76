"""`heliograph demo code`: a way into the running demo."""

import typer

from heliograph.core.demo import find_demo
from heliograph.errors import ConfigurationError
from heliograph.faces.local_sign_in.codes import FILE, read_code, sign_in_link
from heliograph.platform.files.data_dir import is_locked
from heliograph.settings import load_settings

app = typer.Typer(help="The demo that `serve --demo` runs.", no_args_is_help=True)


@app.callback()
def _demo() -> None:
    """The demo that `serve --demo` runs."""


@app.command()
def code() -> None:
    """Show the code with which the next sign-in to the demo's dashboard is let in."""
    data_dir = load_settings().data_dir
    demo, found = find_demo(data_dir), read_code(data_dir / FILE)
    if demo is None or found is None or not is_locked(data_dir):
        raise ConfigurationError(
            f"No demo with a sign-in of its own is running on {data_dir}.",
            remedy="Start it with `heliograph serve --demo`, or set HELIOGRAPH_DATA_DIR to its "
            "folder.",
        )
    typer.echo(f"{found}, good for one sign-in:\n  {sign_in_link(demo.base_url, found)}")
