"""Templates (Jinja2), and what they say of times, states and figures."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from heliograph import __version__
from heliograph.faces.dashboard.badges import badge_of
from heliograph.faces.dashboard.icons import icon
from heliograph.faces.dashboard.links import link_addresses
from heliograph.faces.dashboard.moments import list_moments
from heliograph.faces.dashboard.pages import BASE

_FOLDER = Path(__file__).parent / "templates"
_CODE = re.compile("`([^`]+)`")


class Renderer:
    """Render templates, with everything escaped and nothing undefined.

    `public_path` stands before the addresses that a page shows: see `PublicPath`.
    """

    def __init__(self, public_path: str) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(_FOLDER),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        base = public_path + BASE
        self._templates.globals.update(
            base=base,
            static=f"{base}/static/{__version__}",
            icon=icon,
            badge_of=badge_of,
            initials=_initials,
            moments=list_moments,
        )
        self._templates.filters.update(
            outside=lambda path: public_path + path,
            moment=_moment,
            precise=_precise,
            clock=_clock,
            span=_span,
            lasting=_lasting,
            figure=_figure,
            plural=_plural,
            prose=_prose,
            linked=link_addresses,
        )

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(template).render(values), status)


# What the server writes is in UTC; `times.js` shows the reader's own time.


def _moment(at: datetime | None) -> str:
    return "never" if at is None else _time(at, "relative", "%Y-%m-%d %H:%M UTC")


def _precise(at: datetime | None) -> str:
    return "never" if at is None else _time(at, "precise", "%Y-%m-%d %H:%M:%S UTC")


def _clock(at: datetime) -> str:
    return _time(at, "clock", "%H:%M")


def _time(at: datetime, style: str, form: str) -> Markup:
    """Nothing in it needs to be escaped, and a thread has hundreds of them."""
    text = at.strftime(form)
    return Markup(f'<time datetime="{at.isoformat()}" data-time="{style}">{text}</time>')  # noqa: S704


def _span(seconds: float) -> str:
    """Format how long something has lasted, in its largest unit."""
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _lasting(seconds: float) -> str:
    """Format how long something took, with two figures where it was short."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else _span(seconds)


def _figure(number: float) -> str:
    return f"{number:,}"


def _plural(number: int, one: str, several: str) -> str:
    """Return the number with the word that fits it."""
    return f"{number:,} {one if number == 1 else several}"


def _prose(text: str) -> Markup:
    """Return paragraphs of a text whose code is between backticks."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = [_CODE.sub(r"<code>\1</code>", str(escape(paragraph))) for paragraph in paragraphs]
    return Markup("".join(f"<p>{line}</p>" for line in lines))  # noqa: S704 - escaped above


def _initials(name: str) -> str:
    """Return the first letters of the first and the last word; a number's last two digits."""
    words = [word for word in name.split() if word[0].isalpha()]
    if not words:
        return name.strip()[-2:]
    return (words[0][0] + (words[-1][0] if len(words) > 1 else "")).upper()
