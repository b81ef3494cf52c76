"""Contact cards: vCards of the versions 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350), read and written.

Phones write them in many ways, and strangers send them: lines are folded or softly broken, values
are quoted-printable, properties belong to groups (`item1.TEL`), parameters are quoted. What can't
be read is left out, and the rest is read, in a time that grows with the card's length alone. All
that a card says is text that can be stored. Why there is no library: docs/decisions/0086.
"""

import quopri
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from heliograph.networks.phone_numbers import (
    PhoneNumberError,
    plain_phone_digits,
    read_phone_number,
)
from heliograph.platform.characters import one_line, shows_something, storable_text, without_hidden
from heliograph.platform.charsets import find_codec

MAX_CARD_LENGTH = 1024 * 1024
"""Characters of a card that are read; its picture stands in it."""
_MAX_LINES = 20_000
_MAX_PARAMETERS = 100
_MAX_HEAD_LENGTH = 1_000
"""Characters in front of the colon of a line that may be broken softly."""
_MAX_NUMBERS = 300
"""Numbers of all cards of a text: people send their address book, and programs anything."""
_MAX_NUMBER_LENGTH = 200
_MAX_LABEL_LENGTH = 100
_MAX_ENCODED_LENGTH = 2000
"""Letters of a text in base64: what is longer is a picture."""

_BREAK = re.compile(r"\r\n|\r|\n")
_INNER_BEGIN = re.compile(r"^(AGENT[ \t]*+:)[ \t]*+(BEGIN[ \t]*+:)", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"\s*(?:(?P<group>[\w-]+)\.)?(?P<name>[\w-]+)\s*", re.ASCII)
_PARAMETER = re.compile(r";\s*(?P<name>[^:;=\"]*)(?P<value>=(?:\"[^\"]*\"|[^\":;])*)?")
_QUOTED_PRINTABLE = re.compile(
    r"[^:]*;\s*(?:ENCODING\s*=\s*)?QUOTED-PRINTABLE\s*[;:]", re.IGNORECASE
)
_OTHER_URI = re.compile(r"(?!tel:)[a-z][a-z0-9+.-]*:\S", re.IGNORECASE)
_PART = re.compile(r"((?:\\.|[^;])*+)(?:;|\Z)", re.DOTALL)
"""A part of a value that has several: a semicolon ends it that is not escaped."""
_PLACE = re.compile(r"[0-9]{1,3}", re.ASCII)
_LAST = 100
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_APPLE_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_PARAMETER_VALUE = re.compile(r"(?:\"[^\"]*\"|[^,\"])+")

_NAMES = ("FN", "N", "NICKNAME", "ORG")
"""Properties with the name of the card's person, the best first."""
_LABELS = {"cell": "mobile", "iphone": "iPhone"}
_SAYS_NOTHING = frozenset(
    {"voice", "pref", "msg", "text", "internet", "x-internet", "uri"}
    | {"quoted-printable", "base64", "8bit", "7bit"}
)


class Property(NamedTuple):
    """A line of a card; `value` is as it is escaped there."""

    group: str
    name: str
    parameters: Mapping[str, Sequence[str]]
    value: str

    @property
    def text(self) -> str:
        return unescaped(self.value)

    @property
    def parts(self) -> list[str]:
        """The parts of a name or an organization, the last one maybe empty."""
        return [unescaped(part) for part in _PART.findall(self.value)]

    @property
    def begins_card(self) -> bool:
        return self.name == "BEGIN" and self.value.upper() == "VCARD"

    @property
    def ends_card(self) -> bool:
        return self.name == "END" and self.value.upper() == "VCARD"


class CardNumber(NamedTuple):
    """A phone number of a card: as people see it, `+` and digits where that is clear, else what is
    written, and what it is called, such as `work`; empty for what has no name. What is reached in
    another way, such as `sip:`, has no `number`."""

    shown: str
    number: str
    label: str


class Card(NamedTuple):
    """What one card says; `name` is empty where it has none."""

    name: str
    numbers: tuple[CardNumber, ...]
    properties: tuple[Property, ...]


def read_cards(vcard: str) -> list[Card]:
    """Read all cards of a text, each as far as it can be read. A card within another one, such as
    an assistant's, follows that."""
    cards: list[list[Property]] = []
    opened: list[list[Property]] = []
    for line in _lines_of(_INNER_BEGIN.sub(r"\1\n\2", vcard[:MAX_CARD_LENGTH])):
        found = _property_of(line)
        if found is None:
            continue
        if found.begins_card:
            if not _awaits_card(opened):
                opened.clear()  # many cards lack their END
            opened.append([])
            cards.append(opened[-1])
        elif found.ends_card:
            del opened[-1:]
        elif opened:
            opened[-1].append(found)
    return _cards_of(cards)


def _awaits_card(opened: Sequence[Sequence[Property]]) -> bool:
    """Return whether the next card is the value of a property: version 2.1 has an assistant's."""
    last = opened[-1][-1:] if opened else ()
    return any(each.name == "AGENT" and not each.value for each in last)


def _cards_of(cards: Sequence[Sequence[Property]]) -> list[Card]:
    read, left = [], _MAX_NUMBERS
    for properties in cards:
        read.append(_card_of(properties, left))
        left -= len(read[-1].numbers)
    return read


def write_card(name: str, phones: Sequence[str]) -> str:
    """Return a card with a name and phone numbers, which are `+` and digits, each once."""
    shown = escaped(name)
    numbers = [
        f"TEL;TYPE=CELL;waid={phone.removeprefix('+')}:{phone}" for phone in dict.fromkeys(phones)
    ]
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"N:;{shown};;;", f"FN:{shown}", *numbers]
    return "\r\n".join([*lines, "END:VCARD", ""])


def list_phones(vcard: str) -> list[str]:
    """List the phone numbers of all cards of a text, each once."""
    numbers = (each.number for card in read_cards(vcard) for each in card.numbers)
    return list(dict.fromkeys(filter(None, numbers)))


def names_of(vcard: str) -> str:
    """Return the names that the cards of a text have themselves."""
    return ", ".join(card.name for card in read_cards(vcard) if card.name)


def lines_for_people(vcard: str) -> str:
    """Return the numbers of the cards with their labels, a line each; of several cards a line for
    each person."""
    cards = read_cards(vcard)
    if len(cards) > 1:
        return "\n".join(
            ": ".join(filter(None, (card.name, ", ".join(_shown(card)))))
            for card in cards
            if card.numbers
        )
    return "\n".join(line for card in cards for line in _shown(card))


def _shown(card: Card) -> list[str]:
    """List the numbers of a card. That its only number is a mobile one need not be said."""
    is_only_mobile = len(card.numbers) == 1 and card.numbers[0].label == _LABELS["cell"]
    return [
        f"{each.shown} ({each.label})" if each.label and not is_only_mobile else each.shown
        for each in card.numbers
    ]


# --- lines -----------------------------------------------------------------------------------


def _lines_of(vcard: str) -> Iterator[str]:
    """Yield the lines of a card, unfolded and without soft line breaks."""
    blanks = vcard[: len(vcard) - len(vcard.lstrip())]
    margin = _BREAK.split(blanks)[-1]
    line = _Line("")
    for written in _BREAK.split(vcard, _MAX_LINES)[:_MAX_LINES]:
        if not line.takes(next_one := written.removeprefix(margin)):
            yield line.whole
            line = _Line(next_one)
    yield line.whole


class _Line:
    """A line of a card in the parts in which it is written."""

    def __init__(self, first: str) -> None:
        self._parts = [first]
        self._head = first[:_MAX_HEAD_LENGTH]
        self._is_quoted_printable: bool | None = None

    @property
    def whole(self) -> str:
        return "".join(self._parts)

    def takes(self, written: str) -> bool:
        """Add what is written in the next line, if it belongs to this one."""
        if self._is_broken_softly:
            self._parts[-1] = self._parts[-1][:-1]
            self._parts.append(written.lstrip(" \t"))
        elif written[:1] in (" ", "\t") and self._head:
            self._parts.append(written[1:])
            self._head += written[1 : 1 + _MAX_HEAD_LENGTH - len(self._head)]
        else:
            return False
        return True

    @property
    def _is_broken_softly(self) -> bool:
        if not self._parts[-1].endswith("="):
            return False
        if self._is_quoted_printable is None and ":" in self._head:
            self._is_quoted_printable = _QUOTED_PRINTABLE.match(self._head) is not None
        return bool(self._is_quoted_printable)


def _property_of(line: str) -> Property | None:
    named = _NAME.match(line.lstrip("\ufeff"))
    if named is None:
        return None
    line, place = line.lstrip("\ufeff"), named.end()
    parameters: dict[str, list[str]] = {}
    for _ in range(_MAX_PARAMETERS):
        if (found := _PARAMETER.match(line, place)) is None:
            break
        name, value = found["name"].strip().upper(), found["value"]
        if value is None:  # version 2.1 writes TEL;HOME for TEL;TYPE=HOME
            name, value = "TYPE", f"={name}"
        parameters.setdefault(name, []).extend(_values_of(value[1:]))
        place = found.end()
    if line[place : place + 1] != ":":
        return None
    value = storable_text(_decoded(line[place + 1 :], parameters)).strip()
    group = (named["group"] or "").lower()  # in any case the same (RFC 6350, section 3.3)
    return Property(group, named["name"].upper(), parameters, value)


def _values_of(text: str) -> list[str]:
    """Return the values of a parameter; version 4.0 also writes several within quotes."""
    values = (part.strip().strip('"') for part in _PARAMETER_VALUE.findall(text[:_MAX_HEAD_LENGTH]))
    return [value for value in values if value]


def _decoded(value: str, parameters: Mapping[str, Sequence[str]]) -> str:
    encoding = next(map(str.upper, parameters.get("ENCODING", ())), "")
    encodings = {encoding, *map(str.upper, parameters.get("TYPE", ()))}
    if "QUOTED-PRINTABLE" in encodings:
        data = quopri.decodestring(value.encode("utf-8", "replace"))
    elif (encoding == "B" or "BASE64" in encodings) and len(value) <= _MAX_ENCODED_LENGTH:
        try:
            data = b64decode(value, validate=True)
        except ValueError:
            return value
    else:
        return value
    for codec in (*map(find_codec, parameters.get("CHARSET", ())), "utf-8"):
        try:
            return data.decode(codec or "utf-8")
        except ValueError:
            continue
    return data.decode("latin-1")


def escaped(text: str) -> str:
    """Return a text as it stands in a card."""
    for mark in ("\\", ",", ";"):
        text = text.replace(mark, "\\" + mark)
    return "\\n".join(_BREAK.split(text))


def unescaped(value: str) -> str:
    """Return the text that stands in a card like this."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


# --- what a card says ------------------------------------------------------------------------


def _card_of(properties: Sequence[Property], most_numbers: int) -> Card:
    labels = {
        each.group: each.text[:_MAX_LABEL_LENGTH] for each in properties if each.name == "X-ABLABEL"
    }
    written = [each for each in properties if each.name == "TEL"][:most_numbers]
    numbers = [number_of(each, labels) for each in written]
    return Card(_name_of(properties), tuple(filter(None, numbers)), tuple(properties))


def _name_of(properties: Sequence[Property]) -> str:
    """Return what the card calls itself; of a name or an organization in parts, what people say."""
    named = sorted((each for each in properties if each.name in _NAMES), key=_preference)
    names = {each.name: _named_by(each) for each in reversed(named)}
    return next((names[each] for each in _NAMES if shows_something(names.get(each, ""))), "")


def _preference(written: Property) -> int:
    """Return the place among properties of one name, from 1 on (RFC 6350, section 5.3)."""
    place = "".join(written.parameters.get("PREF", ()))
    return int(place) if _PLACE.fullmatch(place) else _LAST


def _named_by(written: Property) -> str:
    if written.name not in ("N", "ORG"):
        return one_line(written.text)
    first, second, *_ = [*written.parts, ""]
    return one_line(f"{second} {first}" if written.name == "N" else first)


def number_of(written: Property, labels: Mapping[str, str]) -> CardNumber | None:
    """Return the number of a property `TEL`; None for one that shows nothing. `labels` are what its
    card calls its groups."""
    text = without_hidden(written.text[:_MAX_NUMBER_LENGTH])
    shown = one_line(unquote(text[4:]) if text[:4].lower() == "tel:" else text)
    number = "" if _OTHER_URI.match(text) else _number_in(written, text, shown)
    if not shows_something(shown):
        shown = number
    return CardNumber(shown, number, _label_of(written, labels)) if shows_something(shown) else None


def _number_in(written: Property, text: str, shown: str) -> str:
    """Return `+` and digits, where the number has its country code or WhatsApp says it; else the
    text."""
    known = plain_phone_digits("".join(written.parameters.get("WAID", ())))
    try:
        number = read_phone_number(text)
    except PhoneNumberError:
        return f"+{known}" if known else shown
    if number.is_international:
        return f"+{number.digits}"
    return f"+{known}" if known else shown


def _label_of(written: Property, labels: Mapping[str, str]) -> str:
    label = _APPLE_LABEL.sub(r"\1", labels.get(written.group, "")) if written.group else ""
    if label.strip():
        return one_line(label)
    types = (
        each.strip(" \\").lower()
        for values in written.parameters.get("TYPE", ())
        for each in values.split(",")
    )
    named = [_LABELS.get(each, each) for each in types if each and each not in _SAYS_NOTHING]
    return one_line(", ".join(dict.fromkeys(named)))[:_MAX_LABEL_LENGTH]
