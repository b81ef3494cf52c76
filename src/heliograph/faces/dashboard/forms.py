"""Values of forms and addresses, as people have filled them in."""

from datetime import UTC, datetime, timedelta

from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages import Visit

GRACES = {"0": "at once", "1": "in 1 hour", "24": "in 24 hours", "168": "in 7 days"}
"""When what is replaced ends, by hours."""

_YEARS = range(2000, 2200)


def find_text(visit: Visit, name: str) -> str:
    """A value of the form without blanks around it; empty where it lacks."""
    value = visit.form.get(name)
    return value.strip() if isinstance(value, str) else ""


def list_ticked(visit: Visit, name: str) -> list[str]:
    """The values of all ticked boxes with this name."""
    return [each for each in visit.form.getlist(name) if isinstance(each, str)]


def read_grace(visit: Visit) -> timedelta:
    """Raises `InvalidInputError` for what the form does not offer."""
    hours = find_text(visit, "grace")
    if hours not in GRACES:
        raise InvalidInputError.at(("grace",), "Choose when the old secret ends.")
    return timedelta(hours=int(hours))


def read_moment(visit: Visit, name: str, label: str) -> datetime:
    """A time as browsers give it, which has no zone: it is UTC. Raises `InvalidInputError`."""
    try:
        found = datetime.fromisoformat(find_text(visit, name))
    except ValueError:
        raise _no_moment(name, label) from None
    if found.year not in _YEARS:  # far off, a zone or an hour more would lead out of all years
        raise _no_moment(name, label)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _no_moment(name: str, label: str) -> InvalidInputError:
    return InvalidInputError.at((name,), f"{label} is a date and a time, as in 2026-01-31T12:00.")


def explain(error: InvalidInputError) -> str:
    """What a person reads of an error."""
    return "; ".join(problem.msg for problem in error.problems)
