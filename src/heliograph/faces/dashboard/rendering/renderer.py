"""Templates (Jinja2), and how they show times, states and figures."""

import re
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from heliograph import __version__
from heliograph.faces.dashboard.pages.registry import BASE
from heliograph.faces.dashboard.rendering.badges import badge_of
from heliograph.faces.dashboard.rendering.icons import icon
from heliograph.faces.dashboard.rendering.links import link_addresses
from heliograph.faces.dashboard.rendering.moments import list_moments
from heliograph.networks.content import shown_as

MAX_IN_MENU = 12
"""How many organizations a page's menu lists; visitors with more can search."""

_FOLDER = Path(__file__).parents[1] / "templates"
_CODE = re.compile("`([^`]+)`")
_LOCAL_PART = re.compile(r"^(\d+)@\S+$")
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)", re.ASCII)
"""A time as errors and explanations write it, see `errors.utc_text`."""


class Renderer:
    """Render templates with everything escaped, and fail on anything undefined.

    `public_path` precedes the addresses that a page shows: see `PublicPath`.
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
            shown_as=shown_as,
            most_in_menu=MAX_IN_MENU,
        )
        self._templates.filters.update(
            outside=lambda path: public_path + path,
            moment=_moment,
            precise=_precise,
            clock=_clock,
            timed=timed,
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


def timed(text: str) -> Markup:
    """Return a sentence of the API's with each time in it shown as pages show times."""
    parts = _INSTANT.split(text)  # texts and times alternate
    return Markup("").join(
        _instant(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def _instant(text: str) -> str:
    try:
        return _precise(datetime.fromisoformat(text))
    except ValueError:  # somebody's own digits
        return escape(text)


def _time(at: datetime, style: str, form: str) -> Markup:
    """Format a time. Nothing in it needs escaping, and a thread has hundreds of them."""
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
    """Return the number with the matching form of the word."""
    return f"{number:,} {one if number == 1 else several}"


def _prose(text: str) -> Markup:
    """Return paragraphs of a text whose code is between backticks."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = [_CODE.sub(r"<code>\1</code>", str(escape(paragraph))) for paragraph in paragraphs]
    return Markup("".join(f"<p>{line}</p>" for line in lines))  # noqa: S704 - escaped above


def _initials(name: str) -> str:
    """Return the first letters of the first and the last word that have some; of a number, even in
    an address, its last two digits; and of anything else its first character."""
    text = unicodedata.normalize("NFC", _LOCAL_PART.sub(r"\1", name))
    letters = [letter for word in text.split() if (letter := _first_letter(word))]
    if letters:
        return letters[0] + (letters[-1] if len(letters) > 1 else "")
    digits = [character for character in text if character.isdecimal()]
    return "".join(digits[-2:]) or text.strip()[:1]


def _first_letter(word: str) -> str:
    found = next((character for character in word if character.isalpha()), "")
    return found.upper() if len(found.upper()) == 1 else found
