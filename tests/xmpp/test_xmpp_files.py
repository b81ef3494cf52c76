"""Files: put on the account's server and announced; fetched when others announce them."""

import asyncio
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from heliograph.networks.content import Document, Image, Text, Video
from heliograph.networks.errors import FileUnavailableError, NetworkError, NoAnswerError
from heliograph.networks.port import Changed, Inbound, OutgoingChange
from heliograph.networks.testing import Connected
from heliograph.networks.xmpp import arrived_files, disco
from heliograph.networks.xmpp.stanzas import CLIENT
from xmpp_server import LARGEST_UPLOAD
from xmpp_things import (
    FILE,
    OOB,
    REPLACE,
    SHARING,
    FileInMemory,
    download,
    oob,
    sharing,
    stand_in,
    upload,
)
from xmpp_world import Xmpp, outgoing, picture, session_of

pytest_plugins = ("xmpp_fixtures",)

NOISE = random.Random(2).randbytes(1_500_000)  # noqa: S311 - no secret


async def send(xmpp: Xmpp, at: Connected, content: Image | Document, data: bytes) -> ET.Element:
    """Send the file to the person; the message as their program has it."""
    file = FileInMemory(data, content.media_type, content.file_name or "")
    await at.session.send(outgoing(at, xmpp.person, content, file=file))
    friend = await xmpp.friend(xmpp.person)
    await friend.synchronize()
    return friend.received[-1]


async def test_a_picture_is_put_on_the_server_and_its_address_is_the_text(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    message = await send(xmpp, one, Image("image/png", file_name="a/b.png"), picture())

    url = message.findtext(f"{CLIENT}body") or ""
    assert message.findtext(f"{OOB}x/{OOB}url") == url
    told = message.find(f"{SHARING}file-sharing/{FILE}file")
    assert told is not None
    assert told.findtext(f"{FILE}media-type") == "image/png"
    assert told.findtext(f"{FILE}name") == "a_b.png"
    assert told.findtext(f"{FILE}size") == str(len(picture()))
    assert await download(await xmpp.friend(xmpp.person), url) == picture()


async def test_a_file_with_a_caption_shows_the_caption_to_every_program(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    message = await send(xmpp, one, Document("text/csv", "The list", file_name="a.csv"), NOISE)

    caption, url = (message.findtext(f"{CLIENT}body") or "").split("\n")
    assert caption == "The list"
    assert await download(await xmpp.friend(xmpp.person), url) == NOISE


async def test_a_file_that_the_server_does_not_take_fails_at_once(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    large = FileInMemory(b"x", "image/png", "a.png", size=LARGEST_UPLOAD + 1)
    with pytest.raises(NetworkError, match=str(LARGEST_UPLOAD)) as refused:
        await one.session.send(outgoing(one, xmpp.person, Image("image/png"), file=large))
    assert refused.value.permanent
    assert large.pieces == 0


async def test_a_file_of_another_size_is_not_announced(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    for size in (10, 100):
        wrong = FileInMemory(b"x" * 50, "image/png", "a.png", size=size)
        with pytest.raises(NetworkError) as refused:
            await one.session.send(outgoing(one, xmpp.person, Image("image/png"), file=wrong))
        assert isinstance(refused.value, FileUnavailableError)
    assert await xmpp.shown(one, xmpp.person) == []


async def test_an_upload_that_takes_too_long_is_not_begun_again(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    file = FileInMemory(NOISE, "image/png", "a.png", pause=0.05)
    message = outgoing(one, xmpp.person, Image("image/png"), file=file)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await one.session.send(message)
    await one.session.send(replace(message, attempt=1))

    assert file.pieces == len(range(0, len(file.data), 64 * 1024))
    assert len(await xmpp.shown(one, xmpp.person)) == 1


async def nothing(*_: object) -> list[str]:
    return []


async def test_a_server_without_a_service_for_files_says_so(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await xmpp.connected()
    file = FileInMemory(b"x", "image/png", "a.png")
    message = outgoing(one, xmpp.person, Image("image/png"), file=file)
    monkeypatch.setattr(disco, "list_services", nothing)
    with pytest.raises(NetworkError, match="XEP-0363") as refused:
        await one.session.send(message)
    assert refused.value.permanent


async def test_a_service_that_does_not_answer_is_asked_again(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await xmpp.connected()
    file = FileInMemory(picture(), "image/png", "a.png")
    message = outgoing(one, xmpp.person, Image("image/png"), file=file)

    async def say_nothing(*_: object, **__: object) -> ET.Element:
        raise NoAnswerError("The server does not answer.")

    with monkeypatch.context() as patched:
        patched.setattr(disco, "ask_info", say_nothing)
        with pytest.raises(NetworkError) as failed:
            await one.session.send(message)
    assert not failed.value.permanent
    await one.session.send(replace(message, attempt=1))


@pytest.mark.parametrize("remembers", [True, False])
async def test_another_caption_names_the_same_file(xmpp: Xmpp, remembers: bool) -> None:
    one = await xmpp.connected()
    message = await send(xmpp, one, Image("image/png", file_name="b.png"), picture())
    if not remembers:
        await one.session.close()
        one = await xmpp.connected(one.account)
    friend, sent = await xmpp.friend(xmpp.person), message.get("id", "")
    caption = Image("image/png", "A cat", "b.png")
    await session_of(one).change(
        OutgoingChange("edited", "c" * 64, friend.jid, sent, None, content=caption)
    )

    await friend.synchronize()
    url = message.findtext(f"{CLIENT}body")
    assert friend.received[-1].findtext(f"{CLIENT}body") == f"A cat\n{url}"
    assert friend.received[-1].findtext(f"{OOB}x/{OOB}url") == url


async def test_a_caption_of_a_file_that_nobody_finds_is_refused(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    edit = OutgoingChange(
        "edited", "c" * 64, friend.jid, "m1", None, content=Image("image/png", "x")
    )
    with pytest.raises(NetworkError, match="can't be found") as refused:
        await session_of(one).change(edit)
    assert refused.value.permanent


# --- what comes ---


async def test_a_shared_file_arrives_with_its_caption(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    url = await upload(friend, NOISE, "x", "video/mp4")
    body = f"Look!\n{url}"
    marked = stand_in("urn:xmpp:sfs:0", len("Look!\n"), len(body))
    shared = sharing(url, NOISE, "video/mp4", "walk.mp4")
    friend.post(one.account.settings["jid"], body, shared, marked)

    came = await one.events.next(Inbound)
    assert came.content == Video("video/mp4", "Look!", "walk.mp4", len(NOISE))
    assert came.file == NOISE


async def test_another_caption_of_a_shared_file_is_the_caption_alone(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    friend, jid = await xmpp.friend(xmpp.person), one.account.settings["jid"]
    url = await upload(friend, picture(), "x", "image/png")
    shared = sharing(url, picture(), "image/png", "cat.png")
    sent = friend.post(jid, url, shared, stand_in("urn:xmpp:sfs:0", 0, len(url)))
    await one.events.next(Inbound)
    body = f"My cat\n{url}"
    marked = stand_in("urn:xmpp:sfs:0", len("My cat\n"), len(body))
    friend.post(jid, body, shared, marked, ET.Element(REPLACE, {"id": sent}))

    changed = await one.events.next(Changed)
    assert (changed.kind, changed.chat_message_id) == ("edited", sent)
    assert changed.content == Text("My cat")


async def test_what_is_too_large_or_not_what_was_said_stays_a_link(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrived_files, "MAX_BYTES", 100_000)
    one = await xmpp.connected()
    friend, jid = await xmpp.friend(xmpp.person), one.account.settings["jid"]
    large = await upload(friend, NOISE, "x.png", "image/png")
    other = await upload(friend, b"other", "y.png", "image/png")
    friend.post(jid, large, oob(large))
    friend.post(jid, large, sharing(large, NOISE, "image/png"))
    friend.post(jid, other, sharing(other, b"else", "image/png"))
    await xmpp.say(one, xmpp.person, "and on")

    for text in (large, large, other, "and on"):
        came = await one.events.next(Inbound)
        assert (came.content, came.file, came.media_url) == (Text(text), None, None)


async def test_a_sender_of_slow_files_holds_nobody_up_for_long(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrived_files, "FILE_TIMEOUT", 0.3)
    monkeypatch.setattr(arrived_files, "SENDER_TIMEOUT", 0.5)
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    good = await upload(friend, picture(), "cat.png", "image/png")
    dialled: list[object] = []
    async with await asyncio.start_server(lambda *_: dialled.append(_), "127.0.0.1", 0) as silent:
        slow = f"https://127.0.0.1:{silent.sockets[0].getsockname()[1]}/a.png"
        for url in [slow] * 5 + [good]:
            friend.post(one.account.settings["jid"], url, oob(url))
        came = [(await one.events.next(Inbound)).content for _ in range(6)]

    assert came == [*[Text(slow)] * 5, Text(good)]
    assert len(dialled) == 2


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/a.png",
        "https://user:secret@localhost/a.png",
        "https://localhost:1/a.png",
        "https://no-such-host.invalid/a.png",
        "https://[::1/a.png",
        "aesgcm://localhost/a.png#00",
    ],
)
async def test_a_link_that_can_not_be_followed_stays_one(xmpp: Xmpp, url: str) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    friend.post(one.account.settings["jid"], url, oob(url))

    came = await one.events.next(Inbound)
    assert (came.content, came.file) == (Text(url), None)


async def test_a_server_whose_certificate_is_for_another_name_is_not_believed(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    url = await upload(friend, picture(), "cat.png", "image/png")
    elsewhere = url.replace("localhost", "127.0.0.1")
    friend.post(one.account.settings["jid"], elsewhere, oob(elsewhere))

    assert (await one.events.next(Inbound)).content == Text(elsewhere)


async def test_a_picture_whose_address_stands_beside_the_text_arrives_with_both(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    url = await upload(friend, picture(), "cat.png", "image/png")
    friend.post(one.account.settings["jid"], "Look at this", oob(url))

    came = await one.events.next(Inbound)
    assert came.content == Image("image/png", "Look at this", "cat.png", len(picture()))
    assert came.file == picture()


@pytest.mark.parametrize("announced", [oob, lambda url: sharing(url, b"x", "application/pdf")])
async def test_a_file_beside_a_text_that_can_not_be_fetched_is_told_as_its_link(
    xmpp: Xmpp, announced: Callable[[str], ET.Element]
) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    url = "https://localhost:1/bill.pdf"
    friend.post(one.account.settings["jid"], "Look at this", announced(url))

    came = await one.events.next(Inbound)
    assert (came.content, came.file) == (Text(f"Look at this\n{url}"), None)
