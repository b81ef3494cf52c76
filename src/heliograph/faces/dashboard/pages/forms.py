"""Forms: read within limits, and their values as people filled them in."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import TypeVar
from uuid import UUID

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from heliograph.core.idempotency.service import IdempotencyKey
from heliograph.core.media.media_types import GENERIC, parse_media_type
from heliograph.errors import InvalidInputError, MediaTypeError
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.platform.characters import without_hidden
from heliograph.platform.folding import fold

T = TypeVar("T")

GRACES = {"0": "at once", "1": "in 1 hour", "24": "in 24 hours", "168": "in 7 days"}
"""When the replaced secret expires, by hours."""

_YEARS = range(2000, 2200)  # near the last possible year a time zone would overflow
MAX_FIELDS = 200
_MEDIA_TYPE = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"


async def read_form(request: Request, takes_file: bool = False) -> FormData:
    """Read a request's form; with `takes_file`, one that may have a file in it.

    Raises `HTTPException`: 415 for what no browser makes of our forms, and 400 and 413.
    """
    media_type = request.headers.get("content-type", _MEDIA_TYPE).partition(";")[0].strip().lower()
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    is_multipart = takes_file and media_type == _MULTIPART
    if encoding != "identity" or not (is_multipart or media_type == _MEDIA_TYPE):
        raise HTTPException(415, f"A form is sent as {_MEDIA_TYPE}, uncompressed.")
    if is_multipart:
        return await request.form(max_files=1, max_fields=MAX_FIELDS)
    # The parser's own limit counts only fields that have a name, and parses the others slowly.
    if (await request.body()).count(b"&") >= MAX_FIELDS:
        raise HTTPException(400, f"A form has at most {MAX_FIELDS} fields.")
    return await request.form(max_fields=MAX_FIELDS)


def list_ticked(visit: Visit, name: str) -> list[str]:
    """List the values of all ticked boxes with this name."""
    return [value for value in visit.form.getlist(name) if isinstance(value, str)]


def read_grace(visit: Visit) -> timedelta:
    """Return the chosen grace period. Raises `InvalidInputError` for one that is not offered."""
    hours = visit.text("grace")
    if hours not in GRACES:
        raise InvalidInputError.at(("grace",), "Choose when the old secret expires.")
    return timedelta(hours=int(hours))


def parse(kind: Callable[[str], T], given: str, name: str, message: str) -> T:
    """Parse an id or a choice in the field `name`; else raise `InvalidInputError` with this
    message."""
    try:
        return kind(given)
    except ValueError:
        raise InvalidInputError.at((name,), message) from None


def parse_query(visit: Visit, kind: Callable[[str], T], name: str, message: str) -> T | None:
    """Parse a value of the address's query, as `parse` does; an absent or empty one is None."""
    given = visit.query(name)
    return parse(kind, given, name, message) if given else None


def group_by_prefix(names: Iterable[str], separator: str) -> dict[str, list[str]]:
    """Group names by the part before the separator, in order of appearance."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.partition(separator)[0], []).append(name)
    return found


def list_filters(visit: Visit, names: Iterable[str]) -> dict[str, str]:
    """List the filters in the address, by these names of theirs."""
    values = {name: searched(visit.query(name)) for name in names}
    return {name: value for name, value in values.items() if value}


def searched(text: str | None) -> str:
    """Return the text that somebody searches for, without surrounding blanks and invisible
    characters, such as the direction marks that phones copy along with a number; empty if the lists
    would ignore it."""
    found = without_hidden(text or "").strip()
    return found if fold(found) else ""


def read_key(visit: Visit, about: UUID, words: str = "") -> IdempotencyKey | None:
    """Return the idempotency key of a form, so that a form that is sent twice makes one message.

    `about` is the subject of the form, `words` its content: another text makes another message.
    """
    form_id = visit.text("form_id")
    if not form_id:
        return None
    named = (str(visit.user.id), str(about), form_id, words)
    digest = sha256("\n".join(named).encode()).digest()
    return IdempotencyKey(f"dashboard {digest.hex()}", digest)


def read_moment(visit: Visit, name: str, label: str) -> datetime:
    """Read a time, in UTC unless it says otherwise. Raises `InvalidInputError`."""
    try:
        found = datetime.fromisoformat(visit.text(name))
    except ValueError:
        found = None
    if found is None or found.year not in _YEARS:
        raise InvalidInputError.at(
            (name,), f"{label} is a date and a time, as in 2026-01-31T12:00."
        )
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def read_day(given: str | None, name: str, later: timedelta = timedelta(0)) -> datetime | None:
    """Return the midnight in UTC with which a day begins, or one that is `later`; None where none
    is given. Raises `InvalidInputError`."""
    if not given:
        return None
    day = parse(date.fromisoformat, given, name, "Choose a day.")
    if day.year not in _YEARS:
        raise InvalidInputError.at((name,), "Choose a day.")
    return datetime.combine(day, time.min, UTC) + later


def read_days(first: str | None, last: str | None) -> tuple[datetime | None, datetime | None]:
    """Return when the days from `first` to `last`, both included, begin and end.

    An end without a day is None. Raises `InvalidInputError` for anything but a day, and if the
    first is after the last.
    """
    since = read_day(first, "since")
    until = read_day(last, "until", timedelta(days=1))
    if since is not None and until is not None and since >= until:
        raise InvalidInputError.at(("since",), "The first day is after the last one.")
    return since, until


def read_media_type(claimed: str) -> str:
    """Return the type that a browser gives for a file, or the generic one if that is not a type."""
    try:
        return parse_media_type(claimed)
    except MediaTypeError:
        return GENERIC


def explain(error: InvalidInputError) -> str:
    """Return an error's sentences for a person."""
    return "; ".join(problem.msg for problem in error.problems)
