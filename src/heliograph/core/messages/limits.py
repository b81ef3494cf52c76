"""What a person may write in a message: the limits that the API's request bodies have."""

from heliograph.errors import InvalidInputError
from heliograph.networks.choices import has_break, has_title
from heliograph.networks.content import Button, ButtonReply, Buttons, Content, Text

MAX_TEXT = 4096
MAX_BODY = 1024
MAX_FOOTER = 60
MAX_BUTTONS = 3
MAX_BUTTON_ID = 256
MAX_BUTTON_TITLE = 20


def check_content(content: Content) -> None:
    """Raises `InvalidInputError` for what cannot be sent."""
    if isinstance(content, ButtonReply):
        raise InvalidInputError.at(("content",), "Pressing a button is for the other side.")
    if isinstance(content, Buttons):
        _check_text("body", content.body, MAX_BODY)
        _check_text("footer", content.footer or "-", MAX_FOOTER)
        _check_buttons(content.buttons)
    elif isinstance(content, Text):
        _check_text("body", content.body, MAX_TEXT)
    else:
        raise InvalidInputError.at(("content",), "Messages of this kind can't be sent.")


def _check_text(name: str, text: str, longest: int) -> None:
    if not text.strip():
        raise InvalidInputError.at(("content", name), "There is nothing in it.")
    if len(text) > longest:
        problem = f"It may have {longest} characters, but has {len(text)}."
        raise InvalidInputError.at(("content", name), problem)
    if "\0" in text:
        raise InvalidInputError.at(("content", name), "It holds a NUL character.")


def _check_buttons(buttons: tuple[Button, ...]) -> None:
    if not 1 <= len(buttons) <= MAX_BUTTONS:
        problem = f"A message has 1 to {MAX_BUTTONS} buttons."
        raise InvalidInputError.at(("content", "buttons"), problem)
    for button in buttons:
        _check_text("buttons", button.id, MAX_BUTTON_ID)
        _check_text("buttons", button.title, MAX_BUTTON_TITLE)
        if has_break(button.id + button.title):
            raise InvalidInputError.at(("content", "buttons"), "A button is one line.")
        if not has_title(button.title):
            raise InvalidInputError.at(("content", "buttons"), "A button's title is blank.")
    for values in ({each.id for each in buttons}, {each.title for each in buttons}):
        if len(values) < len(buttons):
            problem = "Two buttons have the same id or title."
            raise InvalidInputError.at(("content", "buttons"), problem)
