"""What a person means on a phone: the newest message with the button, the row, the poll."""

from collections.abc import Sequence

from heliograph.networks.content import Button, Buttons, ListMessage, LocationRequest, Poll
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import SimulatedMessage

SEARCHED = 100
"""How many messages of a chat a person would scroll back."""

_NAMES: dict[type, tuple[str, str]] = {
    Buttons: ("message with buttons here to press", "button"),
    ListMessage: ("list here to choose from", "row"),
}


def find_choice(
    messages: Sequence[SimulatedMessage],
    kind: type[Buttons | ListMessage],
    wanted: str,
    chat_message_id: str | None,
) -> tuple[SimulatedMessage, Buttons | ListMessage, Button]:
    """Return the newest message of this kind that has the choice (by id or title), its content and
    the choice. `messages` are oldest first.

    Raises `NetworkError`, which names the available choices.
    """
    asked = [
        (message, message.content)
        for message in reversed(messages)
        if isinstance(message.content, kind) and chat_message_id in (None, message.chat_message_id)
    ]
    for message, content in asked:
        for choice in content.choices.all:
            if wanted == choice.id or wanted.casefold() == choice.title.casefold():
                return message, content, choice
    question, name = _NAMES[kind]
    if not asked:
        raise NetworkError(f"There is no {question}.", permanent=True)
    there = ", ".join(f"{choice.title!r} (id {choice.id})" for choice in asked[0][1].choices.all)
    raise NetworkError(
        f"There is no {name} {wanted!r} here. The newest message has {there}.", permanent=True
    )


def find_poll(
    messages: Sequence[SimulatedMessage], options: Sequence[str], chat_message_id: str | None
) -> tuple[SimulatedMessage, Poll, tuple[Button, ...]]:
    """Return the newest message with a poll, or the one named, its poll and these options.

    Raises `NetworkError` for options that it does not have, and for too many.
    """
    for message in reversed(messages):
        poll = message.content
        if isinstance(poll, Poll) and chat_message_id in (None, message.chat_message_id):
            return message, poll, _options_of(poll, options)
    raise NetworkError("There is no poll here to vote in.", permanent=True)


def _options_of(poll: Poll, wanted: Sequence[str]) -> tuple[Button, ...]:
    by_title = {option.casefold(): Button(option, option) for option in poll.options}
    if unknown := [option for option in wanted if option.casefold() not in by_title]:
        there = ", ".join(repr(option) for option in poll.options)
        raise NetworkError(
            f"There is no option {unknown[0]!r} in the poll. It has {there}.", permanent=True
        )
    chosen = tuple(dict.fromkeys(by_title[option.casefold()] for option in wanted))
    if len(chosen) > poll.max_choices:
        raise NetworkError(
            f"In this poll, each person chooses at most {poll.max_choices}.", permanent=True
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
