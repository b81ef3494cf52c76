"""What people choose from, and what they chose: buttons, lists, polls."""

from collections.abc import Iterable
from typing import Annotated, Literal, Self, TypeAlias

import msgspec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Doc

from heliograph.networks.content.inputs import (
    MAX_BUTTON_TITLE,
    MAX_INTERACTIVE_BODY,
    Body,
    Footer,
    Header,
    Id,
    Input,
    KindInput,
    Line,
    PlainText,
    check_line,
    id_of,
    line,
    text,
    value_error,
)
from heliograph.networks.content.kinds import Button, Choices, Kind
from heliograph.platform.json_numbers import Integer
from heliograph.untrusted import UntrustedText

MAX_BUTTONS = 3
MAX_BUTTON_ID = 256
MAX_ROWS = 10
MAX_ROW_ID = 200
MAX_ROW_TITLE = 24
MAX_ROW_DESCRIPTION = 72
MAX_QUESTION = 300
MAX_OPTIONS = 12
MAX_OPTION = 100


class Buttons(Kind, frozen=True, tag="buttons"):
    """A text with quick-reply buttons."""

    body: UntrustedText
    buttons: tuple[Button, ...]
    header: UntrustedText | None = None
    footer: UntrustedText | None = None

    @property
    def choices(self) -> Choices:
        return Choices((("", self.buttons),))

    def reply(self, chosen: tuple[Button, ...]) -> "ButtonReply":
        return ButtonReply(chosen[0].id, chosen[0].title)


class ButtonReply(Button, Kind, frozen=True, tag="button_reply"):
    """A button that was pressed."""

    text_in = "title"


class Row(Button, frozen=True, omit_defaults=True):
    """A row of a list."""

    description: UntrustedText | None = None


class Section(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a list that belong together."""

    rows: tuple[Row, ...]
    title: UntrustedText | None = None


class ListMessage(Kind, frozen=True, tag="list"):
    """A text with a button that opens a list to choose one row from."""

    body: UntrustedText
    button: Annotated[UntrustedText, Doc("The title of the button that opens the list.")]
    sections: tuple[Section, ...]
    footer: UntrustedText | None = None

    @property
    def choices(self) -> Choices:
        return Choices(tuple((section.title or "", section.rows) for section in self.sections))

    def reply(self, chosen: tuple[Button, ...]) -> "ListReply":
        row = chosen[0]
        return ListReply(row.id, row.title, row.description if isinstance(row, Row) else None)


class ListReply(Button, Kind, frozen=True, tag="list_reply"):
    """A row of a list that was chosen."""

    text_in = "title"

    description: UntrustedText | None = None


class Poll(Kind, frozen=True, tag="poll"):
    """A question with answers to choose from."""

    text_in = "question"

    question: UntrustedText
    options: tuple[UntrustedText, ...]
    max_choices: Annotated[int, Doc("Maximum number of choices per person.")] = 1

    @property
    def choices(self) -> Choices:
        answers = tuple(Button(option, option) for option in self.options)
        return Choices((("", answers),), self.max_choices)

    def reply(self, chosen: tuple[Button, ...]) -> "PollVote":
        return PollVote(tuple(choice.title for choice in chosen))


Question: TypeAlias = Buttons | ListMessage | Poll
"""The kinds with something to choose from. `choices` are what is offered, and `reply` makes the
answer that chooses some."""


class PollVote(Kind, frozen=True, tag="poll_vote"):
    """Somebody's choice in a poll. A later vote replaces it."""

    options: Annotated[
        tuple[UntrustedText, ...], Doc("All current choices; empty if the vote was withdrawn.")
    ]

    @property
    def summary(self) -> str:
        return ", ".join(self.options)


# --- inputs ---


class ButtonInput(BaseModel):
    """One quick-reply button."""

    id: Id = id_of(
        MAX_BUTTON_ID,
        "Comes back when the button is pressed; one line, no blank at either end, unique "
        "within the message.",
    )
    title: Line = line(
        MAX_BUTTON_TITLE,
        "The button's label: one line, not blank, unique within the message.",
    )

    def to_button(self) -> Button:
        return Button(self.id, self.title)


class ContentButtonInput(ButtonInput):
    """One quick-reply button."""

    model_config = ConfigDict(extra="forbid")


class ButtonsInput(KindInput):
    """A text with one to three quick-reply buttons."""

    type: Literal["buttons"]
    body: Body = text(MAX_INTERACTIVE_BODY, "The text.")
    buttons: list[ContentButtonInput] = Field(
        min_length=1,
        max_length=MAX_BUTTONS,
        description="Their ids and their titles must be unique within the message.",
    )
    header: Header | None = Field(default=None, description="A line shown above the text.")
    footer: Footer | None = Field(default=None, description="A line shown below the buttons.")

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        require_unique(self.buttons, "buttons")
        return self

    def to_content(self) -> Buttons:
        return self._as(Buttons)


class RowInput(Input):
    """A row of a list."""

    id: Id = id_of(MAX_ROW_ID, "Comes back when the row is chosen; unique within the message.")
    title: Line = line(MAX_ROW_TITLE, "The row's label, unique within the message.")
    description: Annotated[str, text(MAX_ROW_DESCRIPTION), PlainText] | None = Field(
        default=None, description="A line below the title."
    )


class SectionInput(Input):
    """Rows of a list that belong together."""

    title: Annotated[str, Field(max_length=MAX_ROW_TITLE), AfterValidator(check_line)] | None = (
        Field(default=None, description="Needed where there are several sections.")
    )
    rows: list[RowInput] = Field(min_length=1, max_length=MAX_ROWS)


class ListInput(KindInput):
    """A text with a button that opens a list to choose one row from."""

    type: Literal["list"]
    body: Body = text(MAX_INTERACTIVE_BODY, "The text.")
    button: Line = line(MAX_BUTTON_TITLE, "The title of the button that opens the list.")
    sections: list[SectionInput] = Field(
        min_length=1,
        max_length=MAX_ROWS,
        description=f"With at most {MAX_ROWS} rows in all.",
    )
    footer: Footer | None = Field(default=None, description="A line shown below the text.")

    @model_validator(mode="after")
    def _check_rows(self) -> Self:
        rows = [row for section in self.sections for row in section.rows]
        if len(rows) > MAX_ROWS:
            raise value_error("a list has at most {most} rows in all", {"most": MAX_ROWS})
        require_unique(rows, "rows")
        if len(self.sections) > 1 and any(section.title is None for section in self.sections):
            raise value_error("each of several sections needs a title")
        return self

    def to_content(self) -> ListMessage:
        return self._as(ListMessage)


def require_unique(choices: Iterable[ButtonInput | RowInput], what: str) -> None:
    """Raise the error of choices of which two have the same id or title."""
    named = list(choices)
    for field in ("id", "title"):
        if len({getattr(choice, field) for choice in named}) < len(named):
            raise value_error("two {what} have the same {field}", {"what": what, "field": field})


class PollInput(KindInput):
    """A question with two to twelve answers."""

    type: Literal["poll"]
    question: Body = text(MAX_QUESTION, "The question.")
    options: list[
        Annotated[str, Field(min_length=1, max_length=MAX_OPTION), AfterValidator(check_line)]
    ] = Field(min_length=2, max_length=MAX_OPTIONS, description="The answers, all different.")
    max_choices: Integer = Field(
        default=1, ge=1, le=MAX_OPTIONS, description="Maximum number of choices per person."
    )

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if len(set(self.options)) < len(self.options):
            raise value_error("two options are the same")
        if self.max_choices > len(self.options):
            raise value_error("there are fewer options than max_choices")
        return self

    def to_content(self) -> Poll:
        return self._as(Poll)
