"""Every kind of content, files, answers: there and back."""

import base64
import os
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from heliograph.networks.content import (
    Audio,
    Button,
    ButtonReply,
    Buttons,
    ContactCard,
    Content,
    Document,
    Image,
    LinkButton,
    ListMessage,
    ListReply,
    Location,
    LocationRequest,
    Media,
    Poll,
    PollVote,
    Row,
    Section,
    Sticker,
    Text,
    Video,
    message_type,
)
from heliograph.networks.errors import FileUnavailableError, NetworkError
from heliograph.networks.port import Inbound, Quoted
from heliograph.networks.testing.files import MemoryFile
from heliograph.networks.testing.harness import Connected, Harness, ShownMessage
from heliograph.networks.testing.suite import Suite, address_of, possible

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=="
)
"""One pixel."""
WEBP = base64.b64decode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
OGG = b"OggS" + bytes(60)
MP4 = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(40)

EXAMPLES: dict[str, tuple[Content, bytes | None]] = {
    "text": (Text("Good morning, Žofie 🌞\n\n*really*"), None),
    "buttons": (
        Buttons(
            "Shall we meet?",
            (
                Button("yes", "Yes, gladly"),
                Button("no", "No, sorry"),
                Button("ask", "Ask me later"),
            ),
            footer="Answer by noon",
            header="Sunday",
        ),
        None,
    ),
    "list": (
        ListMessage(
            "When shall we come?",
            "Choose a day",
            (
                Section((Row("tue", "Tuesday", "from nine"), Row("wed", "Wednesday")), "This week"),
                Section((Row("mon", "Monday", "afternoons only"),), "Next week"),
            ),
            footer="We call before",
        ),
        None,
    ),
    "link_button": (
        LinkButton(
            "We have *new* dishes.",
            "See the menu",
            "https://example.com/menu?table=7&dish=soup#today",
            header="Trattoria Lume",
            footer="Open until ten",
        ),
        None,
    ),
    "poll": (Poll("What do you eat?", ("Soup", "Bread", "Cake"), 2), None),
    "document": (Document("application/pdf", "To sign", "contract.pdf"), b"%PDF-1.4\n%%EOF\n"),
    "image": (Image("image/png", "A *dot*"), PNG),
    "video": (Video("video/mp4", "The dance"), MP4),
    "audio": (Audio("audio/ogg; codecs=opus", voice=True), OGG),
    "sticker": (Sticker("image/webp"), WEBP),
    "location": (Location(-33.9, 18.425, "Harbour", "Quay 1"), None),
    "location_request": (LocationRequest("Where shall we *bring* it?"), None),
    "contact": (
        ContactCard(
            "Bruno Berg",
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bruno Berg\r\nN:Berg;Bruno;;;\r\n"
            "TEL;TYPE=CELL:+15550100002\r\nEND:VCARD\r\n",
        ),
        None,
    ),
}
"""A message of each kind, with its file."""

FILES = [kind for kind, (content, _) in EXAMPLES.items() if isinstance(content, Media)]


class Contents(Suite):
    @pytest.mark.parametrize("kind", EXAMPLES)
    async def test_every_kind_that_is_claimed_arrives_whole(
        self, harness: Harness, one: Connected, kind: str
    ) -> None:
        _claims(harness, kind)
        content, data = EXAMPLES[kind]
        message, sent = await one.send(harness.person, content, file=_file_of(content, data))

        bubble = (await look(harness, one))[-1]

        assert recognizable(bubble.content, harness) == recognizable(content, harness)
        assert bubble.file == data
        assert sent.remote_jid == message.recipient

    @pytest.mark.parametrize("size", [1, 1 << 20])
    async def test_a_file_arrives_byte_by_byte(
        self, harness: Harness, one: Connected, size: int
    ) -> None:
        content, data = _document(harness), os.urandom(size)
        await one.send(harness.person, content, file=MemoryFile(data))

        bubble = (await look(harness, one))[-1]

        assert bubble.file == data

    @pytest.mark.parametrize("readable", [0, 300_000])
    async def test_of_a_file_that_is_not_available_nothing_is_sent(
        self, harness: Harness, one: Connected, readable: int
    ) -> None:
        content, data = _document(harness), os.urandom(1 << 19)
        message = one.outgoing(harness.person, content, file=MemoryFile(data, readable=readable))

        with pytest.raises(FileUnavailableError):
            await one.session.send(message)

        assert await look(harness, one) == []
        again = one.again(message, file=MemoryFile(data))
        await one.session.send(again)
        [bubble] = await look(harness, one)
        assert bubble.file == data, "after an attempt that failed"

    async def test_a_file_that_is_too_large_is_refused_for_good(
        self, harness: Harness, one: Connected
    ) -> None:
        content = _document(harness)
        most = harness.network.capabilities.max_file_bytes

        with pytest.raises(NetworkError) as refused:
            await one.send(harness.person, content, file=MemoryFile(bytes(most + 1)))

        assert refused.value.permanent

    async def test_what_is_sent_of_every_kind_arrives_in_turn(
        self, harness: Harness, one: Connected
    ) -> None:
        kinds = [kind for kind in EXAMPLES if kind in harness.network.capabilities.content]
        if len(kinds) < 2:
            pytest.skip("the network has one kind of message")
        for kind in kinds * 2:
            content, data = EXAMPLES[kind]
            await one.send(harness.person, content, file=_file_of(content, data))

        shown = [message_type(bubble.content) for bubble in await look(harness, one)]

        assert shown == kinds * 2

    async def test_mentions_arrive_with_their_text(self, harness: Harness, one: Connected) -> None:
        if not harness.network.capabilities.mentions:
            pytest.skip("nobody is mentioned on the network")
        other = address_of(one, harness.other_person)
        text = Text(f"Ask @{other.partition('@')[0]}, please", mentions=(other,))
        await one.send(harness.person, text)

        assert (await look(harness, one))[-1].content == text

    # --- answers ---

    async def test_an_answer_quotes_what_a_person_wrote(
        self, harness: Harness, one: Connected
    ) -> None:
        _replies(harness)
        chat_message_id = await harness.say(one, harness.person, "Where do we meet?")
        inbound = await one.events.next(Inbound)

        quoted = Quoted(chat_message_id, inbound.sender_jid, inbound.content)
        await one.send(harness.person, "At the harbor", reply_to=quoted)

        assert (await look(harness, one))[-1].reply_to == chat_message_id

    async def test_an_answer_quotes_what_the_account_wrote(
        self, harness: Harness, one: Connected
    ) -> None:
        _replies(harness)
        message, _ = await one.send(harness.person, "Where do we meet?")

        quoted = Quoted(message.chat_message_id, None, message.content)
        await one.send(harness.person, "I mean on Sunday", reply_to=quoted)

        assert (await look(harness, one))[-1].reply_to == message.chat_message_id

    async def test_a_persons_answer_names_what_it_answers(
        self, harness: Harness, one: Connected
    ) -> None:
        _replies(harness)
        message, _ = await one.send(harness.person, "Where do we meet?")

        with possible("answer a message"):
            await harness.send(one, harness.person, Text("Here"), reply_to=message.chat_message_id)

        inbound = await one.events.next(Inbound)
        assert inbound.content == Text("Here")
        assert inbound.reply_to_chat_message_id == message.chat_message_id

    async def test_a_pressed_button_names_its_message(
        self, harness: Harness, one: Connected
    ) -> None:
        _claims(harness, "buttons")
        question, _ = EXAMPLES["buttons"]
        message, _ = await one.send(harness.person, question)
        await one.send(harness.person, question)
        await look(harness, one)

        await harness.press(one, harness.person, "ask")

        reply = await one.events.next(Inbound)
        assert reply.content == ButtonReply("ask", "Ask me later")
        assert reply.reply_to_chat_message_id != message.chat_message_id, "the newest was meant"

    async def test_a_chosen_row_names_its_list(self, harness: Harness, one: Connected) -> None:
        _claims(harness, "list")
        message, _ = await one.send(harness.person, EXAMPLES["list"][0])
        await look(harness, one)

        with possible("choose a row"):
            await harness.choose(one, harness.person, "mon")

        reply = await one.events.next(Inbound)
        assert reply.content == ListReply("mon", "Monday", "afternoons only")
        assert reply.reply_to_chat_message_id == message.chat_message_id

    async def test_a_vote_names_its_poll_and_a_later_one_replaces_it(
        self, harness: Harness, one: Connected
    ) -> None:
        _claims(harness, "poll")
        message, _ = await one.send(harness.person, EXAMPLES["poll"][0])
        await look(harness, one)

        for options in (("Soup", "Cake"), ("Bread",), ()):
            with possible("vote in a poll"):
                await harness.vote(one, harness.person, options)
            vote = await one.events.next(Inbound)
            assert vote.content == PollVote(options)
            assert vote.reply_to_chat_message_id == message.chat_message_id

    async def test_the_place_that_was_asked_for_names_the_request(
        self, harness: Harness, one: Connected
    ) -> None:
        _claims(harness, "location_request")
        message, _ = await one.send(harness.person, EXAMPLES["location_request"][0])
        await look(harness, one)

        place, _ = EXAMPLES["location"]
        with possible("send the place that was asked for"):
            await harness.send(one, harness.person, place, reply_to=message.chat_message_id)

        reply = await one.events.next(Inbound)
        assert recognizable(reply.content, harness) == recognizable(place, harness)
        assert reply.reply_to_chat_message_id == message.chat_message_id

    # --- what people send ---

    @pytest.mark.parametrize("kind", ["location", "contact"])
    async def test_what_a_person_sends_comes_in_whole(
        self, harness: Harness, one: Connected, kind: str
    ) -> None:
        content, _ = EXAMPLES[kind]
        claimed = kind in harness.network.capabilities.content
        with possible(f"send a {kind}", claimed=claimed):
            chat_message_id = await harness.send(one, harness.person, content)

        inbound = await one.events.next(Inbound)
        assert recognizable(inbound.content, harness) == recognizable(content, harness)
        assert inbound.chat_message_id == chat_message_id

    @pytest.mark.parametrize("kind", FILES)
    async def test_a_persons_file_comes_in_byte_by_byte(
        self, harness: Harness, one: Connected, kind: str
    ) -> None:
        content, data = EXAMPLES[kind]
        claimed = kind in harness.network.capabilities.content
        with possible(f"send a file as {kind}", claimed=claimed):
            await harness.send(one, harness.person, content, file=data)

        inbound = await one.events.next(Inbound)
        assert recognizable(inbound.content, harness) == recognizable(content, harness)
        assert inbound.file == data


async def look(harness: Harness, at: Connected) -> Sequence[ShownMessage]:
    """Return what the person's phone shows of the account's messages."""
    with possible("look at a phone closely"):
        return await harness.look(at, harness.person)
    raise AssertionError  # `possible` ends the test


def recognizable(content: Content, harness: Harness) -> Content | tuple[object, ...]:
    """Return what must be the same on both sides. That leaves out a file's id in the gateway and
    its size, the name of any file but a document, and a card's form if the network has its own."""
    if isinstance(content, ContactCard) and not harness.keeps_cards:
        return content.name, _properties(content.vcard)
    if not isinstance(content, Media):
        return content
    if isinstance(content, Audio) and not harness.tells_voice:
        content = replace(content, voice=False)
    name = content.file_name if isinstance(content, Document) else None
    return replace(content, file_name=name, size=None, media_id=None)


def _properties(vcard: str) -> list[tuple[str, str]]:
    """Return what a card says, without its version and the parameters of its lines."""
    lines = [line.partition(":") for line in vcard.splitlines()]
    said = [(name.partition(";")[0].upper(), value) for name, _, value in lines]
    return sorted((name, value) for name, value in said if name != "VERSION")


def _file_of(content: Content, data: bytes | None) -> MemoryFile | None:
    if data is None or not isinstance(content, Media):
        return None
    return MemoryFile(data, content.media_type, content.file_name or "file.bin")


def _document(harness: Harness) -> Content:
    """Return the content of an example file, of the first kind that the network has: a document if
    it can, which may be any bytes."""
    for kind in FILES:
        if kind in harness.network.capabilities.content:
            return EXAMPLES[kind][0]
    pytest.skip("the network has no files")


def _claims(harness: Harness, kind: str) -> None:
    if kind not in harness.network.capabilities.content:
        pytest.skip(f"the network can't send messages of the type {kind}")


def _replies(harness: Harness) -> None:
    if not harness.network.capabilities.replies:
        pytest.skip("no message quotes another on the network")
