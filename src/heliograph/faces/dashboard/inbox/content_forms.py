"""The forms of what a person can send: for each kind, what it asks for and in which words.

What is required, and how much of it, is up to the kind's input, which checks the values as it does
for programs. `composer_kinds.html` shows a field by its `look`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.networks.content import INPUTS
from heliograph.networks.content.choices import MAX_BUTTONS
from heliograph.networks.content.inputs import MAX_BUTTON_TITLE

_NO_WORD = re.compile(r"\W+")


class Choice(NamedTuple):
    """A row, button or option: its name on the form, its title, and the text that was typed."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class Field:
    """What one control asks for; it fills the input's `member`, by default that of its own name.

    `note` follows the label, `hint` stands in the empty control. Problems begin with `called`, or
    else the label; `asks` replaces any problem of the value, and `same` is the problem of two equal
    choices.
    """

    look: ClassVar[str] = "line"

    name: str
    label: str
    member: str = ""
    note: str = ""
    hint: str = ""
    called: str = ""
    asks: str = ""
    same: str = ""
    height: int = 3
    takes_text: bool = False
    """Whether a text begun in the composer's own field continues here."""
    is_needed: bool = False
    schema: dict[str, Any] = field(default_factory=dict)

    def within(self, kind: str) -> "Field":
        """Return the field with the schema of its member in the input of this kind."""
        member = self.member or self.name
        model = INPUTS[kind].model_json_schema()
        schema: dict[str, Any] = model["properties"][member]
        if "anyOf" in schema:
            schema = next(each for each in schema["anyOf"] if each["type"] != "null")
        is_needed = self.is_needed or member in model["required"]
        return replace(self, member=member, schema=schema, is_needed=is_needed)

    @property
    def caption(self) -> str:
        """The label, with its note."""
        return f"{self.label}, {self.note}" if self.note else self.label

    @property
    def most(self) -> int | None:
        """The maximum number of characters in the control."""
        return self.schema.get("maxLength")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def explained(self, problem: str) -> str:
        """Return a problem of the value as a sentence for the person."""
        return self.asks.format_map(self.schema) or problem

    def read(self, visit: Visit) -> Any:
        return typed(visit, self.name) or ("" if self.is_needed else None)

    def list_choices(self, visit: Visit) -> list[Choice]:
        """List the choices of the field, in the order of their numbers."""
        return []


class Area(Field):
    look = "area"


class Number(Field):
    """A number with a point or, as half the world writes it, a comma: 52,5."""

    look = "number"

    def read(self, visit: Visit) -> float | str:
        """Return the number, or what was written instead, for the check to refuse."""
        text = typed(visit, self.name).replace(",", ".")
        try:
            return float(text)
        except ValueError:
            return text


@dataclass(frozen=True)
class Lines(Field):
    """A value for each line; with `item`, each line is a choice of that name."""

    look = "area"
    item: str = ""

    @property
    def most(self) -> None:
        return None

    def read(self, visit: Visit) -> Any:
        return _lines(visit, self.name)

    def list_choices(self, visit: Visit) -> list[Choice]:
        lines = enumerate(self.read(visit), 1) if self.item else ()
        return [Choice(f"{self.item} {number}", line, line) for number, line in lines]


class Rows(Lines):
    """A row for each line: its title and, after a bar, its description."""

    def read(self, visit: Visit) -> list[dict[str, Any]]:
        lines = [line.partition("|") for line in _lines(visit, self.name)]
        rows = [
            {"id": id_, "title": title, "description": description.strip() or None}
            for (id_, title), (_, _, description) in zip(
                _with_ids([title.strip() for title, _, _ in lines], "row"), lines, strict=True
            )
        ]
        return [{"rows": rows}]

    def list_choices(self, visit: Visit) -> list[Choice]:
        rows = self.read(visit)[0]["rows"]
        return [
            Choice(f"{self.item} {number}", row["title"], _line_of(row))
            for number, row in enumerate(rows, 1)
        ]


class Titles(Field):
    """A control for the title of each button."""

    look = "titles"

    @property
    def most(self) -> int:
        return MAX_BUTTON_TITLE

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}_{number}" for number in range(1, MAX_BUTTONS + 1))

    def read(self, visit: Visit) -> list[dict[str, str]]:
        titles = [title for name in self.names if (title := typed(visit, name))]
        return [{"id": id_, "title": title} for id_, title in _with_ids(titles, "button")]

    def list_choices(self, visit: Visit) -> list[Choice]:
        titles = [(number, typed(visit, name)) for number, name in enumerate(self.names, 1)]
        return [Choice(f"Button {number}", title, title) for number, title in titles if title]


@dataclass(frozen=True)
class AsManyAs(Field):
    """A checkbox: if ticked, as many may be chosen as the field `of` has lines, else one."""

    look = "tick"
    of: str = ""

    def read(self, visit: Visit) -> int:
        return max(1, len(_lines(visit, self.of))) if typed(visit, self.name) else 1


class Form(NamedTuple):
    """A form, and how it is opened. With `in_bar`, that takes one step, else two."""

    label: str
    icon: str
    title: str
    button: str
    fields: Sequence[Field]
    in_bar: bool = False


_WHERE = "Write a number from {minimum} to {maximum}, such as "
_SOME = "Write {minItems} to {maxItems}, one per line."
_HTTPS = "Write an address that begins with https://, of at most {maxLength} characters."
_ROWS = "one per line, at most ten; after a bar, a description"


def _body(name: str) -> Field:
    return Area(name, "Text", "body", takes_text=True)


def _header(name: str) -> Field:
    return Field(name, "Line above the text", "header", called="Line above")


def _footer(name: str) -> Field:
    return Field(name, "Footer", "footer", note="in small letters")


_FORMS = {
    "text": Form("Text", "", "", "", [Area("text", "Text", "body")]),
    "buttons": Form(
        *("Buttons", "list", "Send buttons", "Send with buttons"),
        [
            _header("header"),
            _body("body"),
            _footer("footer"),
            Titles(
                "button", "Buttons", "buttons", note="one to three", asks="Fill in at least one."
            ),
        ],
        in_bar=True,
    ),
    "list": Form(
        *("List", "list", "Send a list", "Send the list"),
        [
            _body("list_body"),
            Field(
                "list_button",
                "Button that opens the list",
                "button",
                hint="such as: See the times",
                called="Button",
            ),
            Rows(
                "rows",
                "Rows",
                "sections",
                _ROWS,
                "Tuesday | from nine to five\nWednesday",
                asks=_SOME,
                item="Row",
                height=4,
            ),
            _footer("list_footer"),
        ],
    ),
    "link_button": Form(
        *("Button to a page", "square-play", "Send a button to a page", "Send with the button"),
        [
            _header("link_header"),
            _body("link_body"),
            _footer("link_footer"),
            Field("link_title", "Button", "title", hint="such as: See the menu"),
            Field(
                "link_url",
                "Address of the page",
                "url",
                hint="https://example.com/menu",
                asks=_HTTPS,
            ),
        ],
    ),
    "poll": Form(
        *("Poll", "vote", "Send a poll", "Send the poll"),
        [
            Field("question", "Question"),
            Lines(
                "options",
                "Answers to choose from",
                note="one per line, two to twelve",
                asks=_SOME,
                item="Answer",
                same="Two answers are the same.",
                height=4,
            ),
            AsManyAs("several", "Allow several answers", "max_choices", of="options"),
        ],
    ),
    "location": Form(
        *("Place", "map-pin", "Send a place", "Send the place"),
        [
            Number("latitude", "Degrees north", hint="52.5163", asks=f"{_WHERE}41.9028."),
            Number("longitude", "Degrees east", hint="13.3777", asks=f"{_WHERE}12.4964."),
            Field("place", "Its name", "name", called="Place"),
            Field("address", "Its address", called="Address"),
        ],
    ),
    "location_request": Form(
        *("Ask for a place", "map-pin", "Ask where they are", "Ask for the place"),
        [_body("request_body")],
    ),
    "contact": Form(
        *("Contact", "contact", "Send a contact", "Send the contact"),
        [
            Field("card_name", "Name", "name"),
            Lines(
                "card_numbers",
                "Phone numbers",
                "phones",
                "one per line",
                "+49 30 1234567",
                is_needed=True,
                height=2,
            ),
        ],
    ),
}
FORMS = {
    kind: form._replace(fields=[each.within(kind) for each in form.fields])
    for kind, form in _FORMS.items()
}
"""The form of each kind that has one, other than a file's."""
NAMES = tuple(name for form in FORMS.values() for each in form.fields for name in each.names)
"""Of all controls."""


def typed(visit: Visit, name: str) -> str:
    """Return a text with single-character line ends; browsers send two characters."""
    value = visit.form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def read_form_of(visit: Visit, kind: str) -> dict[str, Any]:
    """Return the values of the form of this kind. Raises `InvalidInputError` for a kind that no
    form has."""
    form = FORMS.get(kind)
    if form is None:
        raise InvalidInputError.at(("kind",), "Choose what to send.")
    return {"type": kind, **{each.member: each.read(visit) for each in form.fields}}


def _line_of(row: dict[str, Any]) -> str:
    title, description = row["title"], row["description"]
    return title if description is None else f"{title} | {description}".lstrip()


def _lines(visit: Visit, name: str) -> list[str]:
    return [line.strip() for line in typed(visit, name).splitlines() if line.strip()]


def _with_ids(titles: list[str], what: str) -> list[tuple[str, str]]:
    """Return each title with an id made from it: in lower case, and unique."""
    found: dict[str, str] = {}
    for number, title in enumerate(titles, 1):
        name = _NO_WORD.sub("-", title.casefold()).strip("-") or what
        while name in found:
            name = f"{name}-{number}"
        found[name] = title
    return list(found.items())
