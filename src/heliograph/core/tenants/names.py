"""Rules for the names that people give to a tenant and its things: each shows something to read and
click, in the order in which it is written."""

from heliograph.errors import InvalidInputError
from heliograph.platform.characters import (
    has_controls,
    shows_something,
    without_hidden,
    without_turning,
)


def check_name(name: str, max_length: int) -> str:
    """Return the name as it is kept. Raises `InvalidInputError` for the field `name` unless it has
    1 to `max_length` characters, and shows something."""
    if not name.strip() or len(name) > max_length or "\x00" in name:
        raise InvalidInputError.at(("name",), f"A name has 1 to {max_length} characters.")
    return require_visible("A name", name, "name")


def require_visible(what: str, text: str, *loc: str | int) -> str:
    """Return the text, a line, without invisible characters and those that change the writing
    direction. Raises `InvalidInputError` for one that shows nothing, and for one with control
    characters, such as line breaks: a terminal obeys some of them.

    `what` is what the text is called, such as `A name`.
    """
    _check_visible(what, text, loc)
    return without_hidden(text)


def require_readable(what: str, text: str, *loc: str | int) -> str:
    """Return a text for a chat network without what changes the writing direction. Marks that only
    help stay: direction marks, soft hyphens, joiners. Raises `InvalidInputError` for a text that
    shows nothing."""
    _check_visible(what, text, loc)
    return without_turning(text)


def _check_visible(what: str, text: str, loc: tuple[str | int, ...]) -> None:
    if has_controls(text):
        problem = f"{what} can't contain control characters or line breaks."
        raise InvalidInputError.at(loc, problem, input=text)
    if not shows_something(text):
        problem = f"{what} needs at least one visible character."
        raise InvalidInputError.at(loc, problem, input=text)
