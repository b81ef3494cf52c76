"""Templates: Jinja2, everything escaped, nothing undefined."""

from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from heliograph import __version__
from heliograph.faces.dashboard.pages import BASE

_FOLDER = Path(__file__).parent


class Renderer:
    """`public_path` stands before the addresses that a page shows: see `PublicPath`."""

    def __init__(self, public_path: str) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(_FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(base=public_path + BASE, version=__version__)
        self._templates.filters["outside"] = lambda path: public_path + path
        self._templates.filters["moment"] = _moment
        self._templates.filters["span"] = _span

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(template).render(values), status)


def _moment(at: datetime | None) -> str:
    return "never" if at is None else at.strftime("%Y-%m-%d %H:%M UTC")


def _span(seconds: float) -> str:
    """How long something has lasted, in its largest unit."""
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
