"""What a person means on a phone: the newest message with the button, the row, the poll."""

from collections.abc import Iterable, Sequence

from heliograph.networks.content import (
    Button,
    Buttons,
    Choices,
    Content,
    ListMessage,
    LocationRequest,
    Poll,
    Question,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import SimulatedMessage

SEARCHED = 100
"""How many messages of a chat a person would scroll back."""

_NAMES: dict[type[Question], tuple[str, str]] = {
    Buttons: ("message with buttons here to press", "button"),
    ListMessage: ("list here to choose from", "row"),
    Poll: ("poll here to vote in", "option"),
}


def find_answer(
    messages: Sequence[SimulatedMessage],
    kind: type[Question],
    wanted: Sequence[str],
    chat_message_id: str | None,
) -> tuple[Content, str]:
    """Return the answer that chooses what is wanted, each by its id or title, and the id of the
    message that it answers: the newest of this kind that has it all. `messages` are oldest first.

    Raises `NetworkError`, which names the available choices, or how many can be chosen.
    """
    asked = [
        (message, message.content)
        for message in reversed(messages)
        if isinstance(message.content, kind) and chat_message_id in (None, message.chat_message_id)
    ]
    question, name = _NAMES[kind]
    if not asked:
        raise NetworkError(f"There is no {question}.", permanent=True)
    for message, content in asked:
        found = [_find_choice(content.choices, each) for each in wanted]
        if None not in found:
            return content.reply(_allowed(content.choices, found)), message.chat_message_id
    newest = asked[0][1].choices
    unknown = next(each for each in wanted if _find_choice(newest, each) is None)
    there = ", ".join(
        repr(choice.title) if choice.id == choice.title else f"{choice.title!r} (id {choice.id})"
        for choice in newest.all
    )
    raise NetworkError(
        f"There is no {name} {unknown!r} here. The newest message has {there}.", permanent=True
    )


def _find_choice(choices: Choices, wanted: str) -> Button | None:
    for choice in choices.all:
        if wanted == choice.id or wanted.casefold() == choice.title.casefold():
            return choice
    return None


def _allowed(choices: Choices, found: Iterable[Button | None]) -> tuple[Button, ...]:
    chosen = tuple(dict.fromkeys(filter(None, found)))
    if len(chosen) > choices.most:
        raise NetworkError(
            f"In this poll, each person chooses at most {choices.most}.", permanent=True
        )
    return chosen


def find_location_request(messages: Sequence[SimulatedMessage]) -> str | None:
    """Return the id of the newest message from anybody else if it asks for the owner's location."""
    newest = next((each for each in reversed(messages) if not each.mine), None)
    if newest is None or not isinstance(newest.content, LocationRequest):
        return None
    return newest.chat_message_id


def find_message(
    messages: Sequence[SimulatedMessage], chat_message_id: str | None, *, mine: bool
) -> str:
    """Return the id given or, without one, that of the newest message: the owner's if `mine`, else
    anybody else's. Raises `NetworkError` if there is none."""
    if chat_message_id is not None:
        return chat_message_id
    for message in reversed(messages):
        if message.mine is mine and not message.is_deleted:
            return message.chat_message_id
    whose = "of its own" if mine else "from anybody else"
    raise NetworkError(f"The phone shows no message {whose}.", permanent=True)
