"""What a message says: a union of kinds, told apart by `type`, stored and sent as JSON.

A kind is a struct here, which knows itself as one text, as what clients read and as what people
choose from. What may be asked for, with which bounds, is in
`core/messages/accepting/content_input.py`; how clients see it is in
`faces/api/schemas/typed_content.py`, what a network makes of it in its driver.
"""

from abc import abstractmethod
from typing import Any, NamedTuple, Union, get_args
from uuid import UUID

import msgspec

from heliograph.networks.cards import lines_for_people, list_phones


class Button(msgspec.Struct, frozen=True):
    """Something to choose, and its name for people: a button, a row of a list, an answer."""

    id: str
    title: str


class Choices(NamedTuple):
    """What a message gives to choose from: sections of choices, with a title where they have one.

    `most` is how many may be chosen at once.
    """

    sections: tuple[tuple[str, tuple[Button, ...]], ...]
    most: int = 1

    @property
    def all(self) -> tuple[Button, ...]:
        return tuple(choice for _, choices in self.sections for choice in choices)


class _Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is the same for most kinds; a kind says otherwise where it is not."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """The message as one text, for records, previews and searches."""

    @property
    @abstractmethod
    def members(self) -> dict[str, Any]:
        """What clients read of it beside its `type`, JSON-ready; what is not known is null."""

    @property
    def choices(self) -> Choices | None:
        """What the message gives to choose from."""
        return None

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Its paragraphs, for a network that has only texts. Choices stand behind the first."""
        return (self.summary,)

    def reply(self, chosen: tuple[Button, ...]) -> "Content":
        """Return what an answer says that chose these of its choices."""
        raise NotImplementedError


class Text(_Kind, frozen=True, tag="text"):
    """`mentions` are the addresses of those whom the text names, each as `@` and its user part."""

    body: str
    mentions: tuple[str, ...] = ()
    preview: "LinkPreview | None" = None

    @property
    def summary(self) -> str:
        return self.body

    @property
    def members(self) -> dict[str, Any]:
        members: dict[str, Any] = {"body": self.body}
        if self.mentions:
            members["mentions"] = list(self.mentions)
        if self.preview is not None:
            members["preview"] = msgspec.structs.asdict(self.preview)
        return members


class LinkPreview(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a page says of itself, to be shown under a text that links to it."""

    url: str
    title: str
    description: str = ""


NOTHING = Text("")
"""The content of a message whose content was not kept."""


class Buttons(_Kind, frozen=True, tag="buttons"):
    """A text with one to three quick-reply buttons, a line over it and one under them."""

    body: str
    buttons: tuple[Button, ...]
    footer: str | None = None
    header: str | None = None

    @property
    def summary(self) -> str:
        return self.body

    @property
    def members(self) -> dict[str, Any]:
        return {
            "body": self.body,
            "buttons": [_choice(button) for button in self.buttons],
            "header": self.header,
            "footer": self.footer,
        }

    @property
    def choices(self) -> Choices:
        return Choices((("", self.buttons),))

    @property
    def text_parts(self) -> tuple[str, ...]:
        body = f"{self.header}\n\n{self.body}" if self.header else self.body
        return (body, self.footer or "")

    def reply(self, chosen: tuple[Button, ...]) -> "Content":
        return ButtonReply(chosen[0])


class ButtonReply(_Kind, frozen=True, tag="button_reply"):
    """Somebody pressed a button."""

    button: Button

    @property
    def summary(self) -> str:
        return self.button.title

    @property
    def members(self) -> dict[str, Any]:
        return _choice(self.button)


class Row(Button, frozen=True, omit_defaults=True):
    """A row of a list."""

    description: str | None = None


class Section(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows that belong together, under a title where there are several sections."""

    rows: tuple[Row, ...]
    title: str | None = None


class ListMessage(_Kind, frozen=True, tag="list"):
    """A text with a button that opens a list of rows to choose one from."""

    body: str
    button: str
    sections: tuple[Section, ...]
    footer: str | None = None

    @property
    def summary(self) -> str:
        return self.body

    @property
    def members(self) -> dict[str, Any]:
        sections = [
            {
                "title": section.title,
                "rows": [_choice(row) | {"description": row.description} for row in section.rows],
            }
            for section in self.sections
        ]
        return {
            "body": self.body,
            "button": self.button,
            "sections": sections,
            "footer": self.footer,
        }

    @property
    def choices(self) -> Choices:
        return Choices(tuple((section.title or "", section.rows) for section in self.sections))

    @property
    def text_parts(self) -> tuple[str, ...]:
        return (self.body, self.footer or "")

    def reply(self, chosen: tuple[Button, ...]) -> "Content":
        row = chosen[0]
        description = row.description if isinstance(row, Row) else None
        return ListReply(Button(row.id, row.title), description)


class ListReply(_Kind, frozen=True, tag="list_reply"):
    """Somebody chose a row of a list."""

    row: Button
    description: str | None = None

    @property
    def summary(self) -> str:
        return self.row.title

    @property
    def members(self) -> dict[str, Any]:
        return _choice(self.row) | {"description": self.description}


class Poll(_Kind, frozen=True, tag="poll"):
    """A question with answers, of which each person chooses up to `max_choices`."""

    question: str
    options: tuple[str, ...]
    max_choices: int = 1

    @property
    def summary(self) -> str:
        return self.question

    @property
    def members(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "options": list(self.options),
            "max_choices": self.max_choices,
        }

    @property
    def choices(self) -> Choices:
        answers = tuple(Button(option, option) for option in self.options)
        return Choices((("", answers),), self.max_choices)

    def reply(self, chosen: tuple[Button, ...]) -> "Content":
        return PollVote(tuple(choice.title for choice in chosen))


class PollVote(_Kind, frozen=True, tag="poll_vote"):
    """What somebody chose in a poll, all of it: a later vote replaces it, and none withdraws it."""

    options: tuple[str, ...]

    @property
    def summary(self) -> str:
        return ", ".join(self.options)

    @property
    def members(self) -> dict[str, Any]:
        return {"options": list(self.options)}


class Media(_Kind, frozen=True):
    """A file: a picture, a video, a voice. `media_type` is its MIME type, `size` in bytes.

    `media_id` is the gateway's, of a file that somebody uploaded.
    """

    media_type: str
    caption: str = ""
    file_name: str | None = None
    size: int | None = None
    media_id: UUID | None = None

    @property
    def summary(self) -> str:
        return self.caption or self.file_name or f"[{message_type(self)}]"

    @property
    def members(self) -> dict[str, Any]:
        return {
            "media_type": self.media_type,
            "caption": self.caption or None,
            "file_name": self.file_name,
            "size": self.size,
            "media_id": self.media_id,
        }

    @property
    def text_parts(self) -> tuple[str, ...]:
        return (self.caption, self.file_name or "")


class Image(Media, frozen=True, tag="image"):
    pass


class Video(Media, frozen=True, tag="video"):
    pass


class Audio(Media, frozen=True, tag="audio"):
    """`voice` says that it was spoken into the phone, to be played at once."""

    voice: bool = False

    @property
    def members(self) -> dict[str, Any]:
        return super().members | {"voice": self.voice}


class Document(Media, frozen=True, tag="document"):
    pass


class Sticker(Media, frozen=True, tag="sticker"):
    pass


class Location(_Kind, frozen=True, tag="location"):
    """A place, in degrees north and east: finite, and on the globe."""

    latitude: float
    longitude: float
    name: str = ""
    address: str = ""

    @property
    def summary(self) -> str:
        place = f"{self.latitude:.6f}, {self.longitude:.6f}"
        words = ", ".join(word for word in (self.name, self.address) if word)
        return f"{words} ({place})" if words else place

    @property
    def members(self) -> dict[str, Any]:
        return {
            "latitude": self.latitude,
            "longitude": self.longitude,
            "name": self.name or None,
            "address": self.address or None,
        }

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Its words, and a URI that programs open a map by (RFC 5870)."""
        words = "\n".join(word for word in (self.name, self.address) if word)
        return (words, f"geo:{self.latitude:.6f},{self.longitude:.6f}")


def is_on_globe(latitude: float, longitude: float) -> bool:
    """Return whether there is such a place; NaN is none."""
    return abs(latitude) <= 90 and abs(longitude) <= 180


class ContactCard(_Kind, frozen=True, tag="contact"):
    """Somebody's address; `vcard` is as the network gave it, or as it was asked to be sent.

    `phones` are read from it once, and stored: reading the record parses no stranger's card.
    """

    name: str
    vcard: str
    phones: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.phones is None:
            msgspec.structs.force_setattr(self, "phones", tuple(list_phones(self.vcard)))

    @property
    def summary(self) -> str:
        return self.name or ", ".join(self.phones or ()) or "[contact]"

    @property
    def members(self) -> dict[str, Any]:
        return {"name": self.name, "phones": list(self.phones or ()), "vcard": self.vcard}

    @property
    def text_parts(self) -> tuple[str, ...]:
        """The name, and the numbers with what they are called."""
        return (self.name, lines_for_people(self.vcard))


class OrderItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A product of an order. `price` is of one piece, as a decimal number."""

    product_id: str
    title: str | None = None
    quantity: int = 1
    price: str | None = None


class Order(_Kind, frozen=True, tag="order"):
    """What somebody wants to buy. `total` is a decimal number in the `currency` (ISO 4217).

    `item_count` is what the network counts; `items` are those that it names, perhaps none.
    """

    order_id: str
    text: str = ""
    title: str = ""
    item_count: int | None = None
    total: str | None = None
    currency: str | None = None
    items: tuple[OrderItem, ...] = ()

    @property
    def summary(self) -> str:
        count = "1 item" if self.item_count == 1 else f"{self.item_count} items"
        price = f"{self.currency or ''} {self.total}".strip() if self.total else ""
        words = (self.title, count if self.item_count else "", price)
        order = f"Order: {', '.join(word for word in words if word)}" if any(words) else "Order"
        return f"{self.text}\n{order}" if self.text else order

    @property
    def members(self) -> dict[str, Any]:
        return {
            "order_id": self.order_id,
            "text": self.text or None,
            "title": self.title or None,
            "item_count": self.item_count,
            "total": self.total,
            "currency": self.currency,
            "items": [msgspec.structs.asdict(item) for item in self.items],
        }


class System(_Kind, frozen=True, tag="system"):
    """A message that is not understood here: it is told, so that somebody opens it on the phone.

    `kind` is the network's name for what it is, `body` a sentence for a person. When the network
    brings the same message again and it is understood, that takes this one's place.
    """

    kind: str
    body: str

    @property
    def summary(self) -> str:
        return self.body

    @property
    def members(self) -> dict[str, Any]:
        return {"kind": self.kind, "body": self.body}


def not_understood(kind: str, said: str = "") -> System:
    """Return the content of a message of this kind, which nobody here can read.

    `said` is what can be read of it.
    """
    sentence = f"A message of a kind that is not shown here ({kind}). Open it on the phone."
    return System(kind, f"{said}\n{sentence}" if said else sentence)


class Referral(msgspec.Struct, frozen=True, omit_defaults=True):
    """The advertisement, post or status from which somebody wrote; the names are Meta's."""

    source_id: str | None = None
    source_type: str | None = None
    source_url: str | None = None
    headline: str | None = None
    body: str | None = None
    ctwa_clid: str | None = None


Content = Union[  # noqa: UP007 - msgspec reads the union at run time
    Text,
    Buttons,
    ButtonReply,
    ListMessage,
    ListReply,
    Poll,
    PollVote,
    Image,
    Video,
    Audio,
    Document,
    Sticker,
    Location,
    ContactCard,
    Order,
    System,
]

KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Content))
CHOICE_KINDS = frozenset({"buttons", "list", "poll"})
"""The kinds that give something to choose from."""

_decoder: msgspec.json.Decoder[Content] = msgspec.json.Decoder(Content)
_encoder = msgspec.json.Encoder()


def message_type(content: Content | Media) -> str:
    """Return the `message_type` for this content, such as `text` or `button_reply`."""
    return str(content.__struct_config__.tag)


def edited(before: Content, after: Content) -> Content:
    """Return what a message says after an edit: of a file only the caption is another."""
    if not isinstance(before, Media):
        return after
    caption = after.caption if isinstance(after, Media) else after.summary
    return msgspec.structs.replace(before, caption=caption)


def encode_content(content: Content) -> str:
    return _encoder.encode(content).decode()


def decode_content(raw: str | bytes) -> Content:
    """Read a stored content. One of a kind that a later release has added is not understood."""
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError:
        kind = _kind_decoder.decode(raw).type
        if kind in KINDS:
            raise
        return not_understood(kind)


class _Tagged(msgspec.Struct):
    type: str


_kind_decoder = msgspec.json.Decoder(_Tagged)


def _choice(choice: Button) -> dict[str, Any]:
    return {"id": choice.id, "title": choice.title}
