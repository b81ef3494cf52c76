"""Choices for people whose program shows no buttons: listed in the text, answered by a text.

A choice is meant by its number in the list, by its id or by its title. What is exactly an id or a
title means that one; else both sides are folded: case, width, quotation marks around it, a full
stop or an exclamation mark behind it, skin tones, and digits of any script. Where that means none,
they are folded as a search is: people leave out accents, most of all in capitals (HAYIR, ΟΧΙ).
What could mean two choices means none.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import count, repeat
from typing import NamedTuple

from heliograph.networks.content import Button, Choices, Content, Question, Row, Text, message_type
from heliograph.platform.characters import without_invisible
from heliograph.platform.folding import fold as fold_as_searched

MAX_ANSWER_LENGTH = 300
"""Characters of a text that may be a choice: the longest id, and what people write around it."""

ROOM_AROUND = 40
"""Characters that people write around a choice, and that write it in a longer way."""
_MAX_QUESTIONS = 1024
QUESTION_CLOCK_SKEW = timedelta(minutes=1)
"""How far the clocks that time a question and its answer may differ."""

_DROPPED = re.compile("[\u20e3\U0001f3fb-\U0001f3ff]")
"""Skin tones, and the keycap's frame."""
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›「」『』〝〞〟"
_SAME_QUOTE = str.maketrans(dict.fromkeys("`´‘’‚‛", "'") | dict.fromkeys("“”„‟", '"'))
_BEHIND = ".!。۔।"
_BEFORE = "¡"
_SEPARATORS = re.compile(r"[,;\n،、，]+")
_NUMBER = re.compile(r"[(\[#]*([0-9]{1,2})[)\].:]*")
_LINE = re.compile(r"[(\[#]*([0-9]{1,2})[)\].:-]*\s+(.+)")


def as_text(content: Content, link: str | None = None) -> str:
    """Return the content as one text: its choices in a list, and how to answer them.

    `link` leads to its file.
    """
    first, *others = content.text_parts
    asked = []
    if isinstance(content, Question):
        asked = [_listed(content.choices), how_to_answer(content.choices)]
    return "\n\n".join(part for part in [first, *asked, *others, link] if part)


def without_kinds(content: Content, kinds: Collection[str], link: str | None = None) -> Content:
    """Return what is sent on a network that knows these kinds of content."""
    return content if message_type(content) in kinds else Text(as_text(content, link))


def _listed(choices: Choices) -> str:
    """List the choices, numbered if that is clear, under the titles of their sections."""
    numbers: Iterator[int | None] = count(1) if is_numbered(choices.all) else repeat(None)
    lines: list[str] = []
    for title, section in choices.sections:
        lines += ["", title] if title and lines else [title] if title else []
        lines += [_line(choice, number) for choice, number in zip(section, numbers, strict=False)]
    return "\n".join(lines)


def _line(choice: Button, number: int | None) -> str:
    line = f"• {choice.title}" if number is None else f"{number}. {choice.title}"
    description = choice.description if isinstance(choice, Row) else None
    return f"{line} ({description})" if description else line


def how_to_answer(choices: Choices) -> str:
    """Return the sentence under the list."""
    if choices.most > 1:
        what = "numbers" if is_numbered(choices.all) else "of these"
        return f"Reply with up to {choices.most} {what}, with commas between them."
    if not is_numbered(choices.all):
        return "Reply with one of these."
    match len(choices.all):
        case 1:
            return "Reply with the number 1."
        case 2:
            return "Reply with a number, 1 or 2."
        case most:
            return f"Reply with a number, 1 to {most}."


def is_numbered(buttons: Sequence[Button]) -> bool:
    """Return whether each number in the list means its own choice, and is no other's id or
    title."""
    return _words_of(tuple(buttons)).are_numbered


def chosen(choices: Choices, text: str, *, by_number: bool = True) -> tuple[Button, ...]:
    """Return the choices that a text means, none if it means none of them or too many."""
    single = chosen_button(choices.all, text, by_number=by_number)
    if single is not None:
        return (single,)
    parts = [part for part in _SEPARATORS.split(text) if part.strip()] if choices.most > 1 else []
    if not 1 < len(parts) <= choices.most:
        return ()
    found = [chosen_button(choices.all, part.strip(), by_number=by_number) for part in parts]
    several = tuple(dict.fromkeys(choice for choice in found if choice is not None))
    return several if len(several) == len(parts) else ()


def chosen_button(buttons: Sequence[Button], text: str, *, by_number: bool = True) -> Button | None:
    """Return the one choice that a text means. `by_number` says whether a bare number may mean
    one."""
    words = _words_of(tuple(buttons))
    if len(text) > words.longest_answer:
        return None
    for exact in ([button.id for button in buttons], [button.title for button in buttons]):
        if text in exact:
            return buttons[exact.index(text)]
    meant = _meant_by(words, fold(text), by_number=by_number and words.are_numbered)
    meant = meant or set(words.plain_places.get(_plain(text), ()))
    return buttons[meant.pop()] if len(meant) == 1 else None


def last_asked(answered_at: datetime) -> datetime:
    """Return the latest time at which a question with this answer can have been asked."""
    return answered_at + QUESTION_CLOCK_SKEW


class _Words(NamedTuple):
    """The folded ids and titles of some buttons, and the indexes of the buttons that they name."""

    places: Mapping[str, frozenset[int]]
    plain_places: Mapping[str, frozenset[int]]
    titles: tuple[str, ...]
    are_numbered: bool
    longest_answer: int


@lru_cache(_MAX_QUESTIONS)
def _words_of(buttons: tuple[Button, ...]) -> _Words:
    places = _places_of(buttons, fold)
    longest = max(max(len(button.id), len(button.title)) for button in buttons)
    return _Words(
        places,
        _places_of(buttons, _plain),
        tuple(fold(button.title) for button in buttons),
        all(_is_free(places, number, len(buttons)) for number in places),
        min(MAX_ANSWER_LENGTH, 2 * longest + ROOM_AROUND),
    )


def _places_of(
    buttons: Sequence[Button], folded: Callable[[str], str]
) -> dict[str, frozenset[int]]:
    """Return the indexes of the buttons that each folded id or title names."""
    places: dict[str, frozenset[int]] = {}
    for place, button in enumerate(buttons):
        for word in {folded(button.id), folded(button.title)} - {""}:
            places[word] = places.get(word, frozenset()) | {place}
    return places


def _is_free(places: Mapping[str, frozenset[int]], word: str, most: int) -> bool:
    """Return whether a word is not the number of another choice in the list."""
    number = _number(word)
    return number is None or not 1 <= number <= most or places[word] == {number - 1}


def _meant_by(words: _Words, answer: str, *, by_number: bool) -> set[int]:
    """Return the places of all choices that a folded text may mean."""
    if not answer:
        return set()
    meant, number = set(words.places.get(answer, ())), _number(answer)
    if by_number and number is not None and 1 <= number <= len(words.titles):
        meant.add(number - 1)
    line = _LINE.fullmatch(answer)
    place = int(line[1]) - 1 if line else -1
    if line and 0 <= place < len(words.titles) and fold(line[2]) == words.titles[place]:
        meant.add(place)
    return meant


def _plain(text: str) -> str:
    """Return what a search sees of an answer."""
    return fold_as_searched(fold(text))


def _number(folded: str) -> int | None:
    match = _NUMBER.fullmatch(folded)
    return int(match[1]) if match else None


def fold(text: str) -> str:
    """Drop everything in which people write the same thing differently."""
    while (folded := _fold_once(text)) != text:
        text = folded
    return text


def _fold_once(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _DROPPED.sub("", without_invisible(text))).casefold()
        text = unicodedata.normalize("NFKC", text).translate(_SAME_QUOTE)
        text = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    text = text.casefold().replace("`", "'")
    return " ".join(text.split()).strip(_QUOTES + " ").rstrip(_BEHIND).lstrip(_BEFORE)
