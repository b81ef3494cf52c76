"""The virtual phone with messages of every kind: what it shows of them, and what it sends."""

from uuid import uuid4

from msgspec.structs import replace

from dashboard_phone_scene import ADA, WHO, PhoneScene
from dashboard_scene import path_of
from each_case import for_each
from heliograph.core.members.model import MemberRole
from heliograph.faces.dashboard.pages.middleware import MAX_UPLOAD_SIZE
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token
from heliograph.networks.content import (
    Audio,
    ContactCard,
    Document,
    Image,
    LinkPreview,
    ListReply,
    Location,
    Media,
    PollVote,
    Text,
)
from heliograph.networks.port import Changed, Inbound, OutgoingChange, Quoted
from heliograph.networks.testing import MemoryFile
from heliograph.networks.testing.contents import EXAMPLES, PNG

pytest_plugins = ("sandbox_fixtures",)

SCRIPT = b"<script>alert(document.domain)</script>"


async def sent(phone: PhoneScene, kind: str) -> str:
    """The id of a message of this kind that the phone got."""
    content, data = EXAMPLES[kind]
    file = None if data is None else MemoryFile(data, file_name="")
    message, _ = await phone.one.send(ADA, content, file=file)
    return message.chat_message_id


@for_each(
    ("kind", "parts"),
    [
        ("image", ('<img class="shown"', 'alt="A *dot*"')),
        ("sticker", ('<img class="shown"', 'alt="A sticker"')),
        ("video", ("<video", "The dance")),
        ("audio", ("<audio", "Voice message")),
        ("document", ("download>contract.pdf", "application/pdf", "To sign")),
        ("location", ("Harbour", 'href="geo:-33.900000,18.425000"')),
        ("contact", ("Bruno Berg", "+15550100002")),
        ("list", ("<summary>Choose a day", "This week", "from nine", "We call before")),
        ("poll", ("What do you eat?", "Choose up to 2", "Cake")),
        ("buttons", ('class="head">Sunday', "Yes, gladly", "Answer by noon")),
    ],
)
async def test_every_kind_is_shown(phone: PhoneScene, kind: str, parts: tuple[str, ...]) -> None:
    await sent(phone, kind)
    page = await phone.page()
    for part in parts:
        assert part in page


async def test_a_link_is_shown_with_what_its_page_says(phone: PhoneScene) -> None:
    preview = LinkPreview("https://example.com/menu", "The <b>menu", "Soup and bread")
    await phone.one.send(ADA, Text("See https://example.com/menu", preview=preview))
    page = await phone.page()
    assert "The &lt;b&gt;menu" in page
    assert "Soup and bread" in page
    assert 'href="https://example.com' not in page, "a stranger's link"


async def test_a_file_is_shown_as_what_it_is_and_not_as_what_it_claims(phone: PhoneScene) -> None:
    for data, media_type, shown in (
        (PNG, "image/png", "inline"),
        (SCRIPT, "application/octet-stream", "attachment"),
    ):
        claimed = Document("image/png", "", 'a\r\n".html')
        message, _ = await phone.one.send(ADA, claimed, file=MemoryFile(data))
        answer = await phone.ada.get(f"{phone.path}/file/{message.chat_message_id}")
        assert answer.content == data
        assert answer.headers["content-type"] == media_type
        disposition = answer.headers["content-disposition"]
        assert disposition == f"{shown}; filename*=UTF-8''a%22.html"
        assert answer.headers["cache-control"].startswith("private")


async def test_a_player_gets_the_part_that_it_asks_for(phone: PhoneScene) -> None:
    data = b"OggS" + bytes(range(256)) * 2000
    message, _ = await phone.one.send(ADA, EXAMPLES["audio"][0], file=MemoryFile(data))
    path = f"{phone.path}/file/{message.chat_message_id}"
    for wanted, first, last in (
        ("bytes=0-", 0, len(data) - 1),
        ("bytes=300000-300009", 300_000, 300_009),
        (f"bytes={len(data) - 1}-", len(data) - 1, len(data) - 1),
        ("bytes=5-999999999", 5, len(data) - 1),
        ("bytes=999999999-", 0, len(data) - 1),
        ("bytes=9-5", 9, 9),
        ("lines=1-2", 0, len(data) - 1),
    ):
        answer = await phone.ada.browser.get(path, headers={"Range": wanted})
        assert answer.content == data[first : last + 1], wanted
        assert answer.status_code == (200 if len(answer.content) == len(data) else 206)


async def test_files_are_those_of_the_device_alone(phone: PhoneScene) -> None:
    message, text = await sent(phone, "image"), await sent(phone, "text")
    globex = await phone.scene.organization("Globex")
    theirs = await phone.scene.device(globex, "Other desk")
    base, _, own = phone.path.rpartition("/")
    for account, wanted, status in (
        (own, "SBX0", 404),
        (own, "%00", 404),
        (own, text, 404),
        (str(theirs.id), message, 403),
        (str(uuid4()), message, 404),
    ):
        answer = await phone.ada.get(f"{base}/{account}/file/{wanted}")
        assert answer.status_code == status, wanted
    mallory = await phone.scene.member("mallory", globex, MemberRole.OWNER)
    path = path_of(globex, f"phone/{theirs.id}/file/{message}")
    assert (await mallory.get(path)).status_code == 404


@for_each(
    ("name", "media_type", "content"),
    [
        ("dot.png", "image/png", Image("image/png", "Look")),
        ("a.html", "text/html; <script>", Document("text/html", "Look", "a.html")),
        ("a", "no type", Document("application/octet-stream", "Look", "a")),
        ("a", "text/vcard; charset=utf-8", Document("text/vcard", "Look", "a")),
        ("a", "audio/ogg; codecs=opus", Audio("audio/ogg", "Look")),
    ],
)
async def test_a_person_sends_a_file(
    phone: PhoneScene, name: str, media_type: str, content: Media
) -> None:
    form = {"person": WHO, "text": "Look"}
    answer = await phone.ada.upload(f"{phone.path}/say", (name, PNG, media_type), **form)
    assert answer.status_code == 303
    inbound = await phone.one.events.next(Inbound)
    assert inbound.content == replace(content, size=len(PNG))
    assert inbound.file == PNG


async def test_only_where_a_file_is_taken_a_form_may_be_large(phone: PhoneScene) -> None:
    answer = await phone.ada.browser.post(
        f"{phone.path}/say",
        data={FIELD: csrf_token(phone.ada.token)},
        files={"file": ("large", bytes(MAX_UPLOAD_SIZE), "video/mp4")},
        headers={"Referer": f"{phone.ada.browser.base_url}{phone.path}?with=1"},
    )
    assert answer.status_code == 413
    assert "The limit for a file is 16 MiB." in answer.text
    assert f'{phone.path}?with=1">Back to where you were' in answer.text
    answer = await phone.ada.upload(f"{phone.path}/press", ("a", b"a", "text/plain"))
    assert answer.status_code == 415
    assert phone.one.events.all(Inbound) == []


async def test_a_form_without_file_and_text_is_sent_back(phone: PhoneScene) -> None:
    assert "Write something first." in await phone.refused("say", text=" ")


async def test_a_row_of_a_list_is_chosen(phone: PhoneScene) -> None:
    message = await sent(phone, "list")
    page = await phone.post("choose", message=message, row="mon")
    assert "chose</span> Monday" in page
    inbound = await phone.one.events.next(Inbound)
    assert inbound.content == ListReply("mon", "Monday", "afternoons only")


async def test_options_of_a_poll_are_tapped_one_after_the_other(phone: PhoneScene) -> None:
    message = await sent(phone, "poll")
    for option, votes in (
        ("Soup", ("Soup",)),
        ("Cake", ("Soup", "Cake")),
        ("Soup", ("Cake",)),
        ("Cake", ()),
    ):
        page = await phone.post("vote", message=message, option=option)
        assert (await phone.one.events.next(Inbound)).content == PollVote(votes)
        assert page.count('aria-pressed="true"') == len(votes)
    for option in ("Soup", "Cake"):
        await phone.post("vote", message=message, option=option)
    assert "at most 2" in await phone.refused("vote", message=message, option="Bread")


async def test_a_message_is_answered_reacted_to_and_quoted(phone: PhoneScene) -> None:
    message = await sent(phone, "text")
    page = await phone.page(f"&at={message}")
    assert "Answer as Ada Abara" in page
    page = await phone.post("say", message=message, text="Good morning to you")
    assert "<blockquote><strong>Front desk</strong>" in page
    inbound = await phone.one.events.next(Inbound)
    assert inbound.reply_to_chat_message_id == message
    page = await phone.post("react", message=message, emoji="🎉")
    assert '<span title="Ada Abara">🎉</span>' in page
    assert (await phone.one.events.next(Changed)).emoji == "🎉"
    await phone.post("react", message=message)
    assert 'class="reactions"' not in await phone.page()


async def test_a_persons_own_message_is_edited_and_deleted(phone: PhoneScene) -> None:
    await phone.post("say", text="At six")
    message = (await phone.one.events.next(Inbound)).chat_message_id
    assert 'value="At six"' in await phone.page(f"&at={message}")
    page = await phone.post("edit", message=message, text="At seven")
    assert "At seven" in page
    assert "<span>edited</span>" in page
    page = await phone.post("delete", message=message)
    assert "This message was deleted." in page
    assert "At seven" not in page
    assert "was deleted" in await phone.refused("edit", message=message, text="No")


async def test_what_the_account_does_to_messages_is_seen(phone: PhoneScene) -> None:
    one, session = phone.one, phone.one.session
    assert hasattr(session, "change")
    message = await sent(phone, "text")
    await phone.post("say", text="We have won!")
    inbound = await one.events.next(Inbound)
    quoted = Quoted(inbound.chat_message_id, inbound.sender_jid, inbound.content)
    await one.send(ADA, "So have we", reply_to=quoted)
    for change in (
        OutgoingChange("edited", "c1", WHO, message, None, Text("Good evening")),
        OutgoingChange("reaction", "c2", WHO, inbound.chat_message_id, WHO, emoji="🎉"),
    ):
        await session.change(change)
    page = await phone.page()
    assert "Good evening" in page
    assert "<span>edited</span>" in page
    assert '<span title="Front desk">🎉</span>' in page
    assert "<blockquote><strong>You</strong><br>We have won!" in page
    await session.change(OutgoingChange("deleted", "c3", WHO, message, None))
    assert "Good evening" not in await phone.page()


async def test_a_place_and_a_card_are_sent(phone: PhoneScene) -> None:
    await phone.post("location", latitude="52.5163", longitude="13.3777", name="The gate")
    assert (await phone.one.events.next(Inbound)).content == Location(52.5163, 13.3777, "The gate")
    await phone.post("card", name="Bruno Berg", number="+15550100002")
    card = (await phone.one.events.next(Inbound)).content
    assert isinstance(card, ContactCard)
    assert "TEL;TYPE=CELL;waid=15550100002:+15550100002" in card.vcard
    for latitude in ("nan", "91", "north", ""):
        await phone.refused("location", latitude=latitude, longitude="1")


async def test_a_phone_shows_that_the_account_writes_and_reads(phone: PhoneScene) -> None:
    session = phone.one.session
    assert hasattr(session, "set_typing")
    assert hasattr(session, "mark_read")
    writing = f"{phone.path}/writing?chat={WHO}&with={ADA}"
    await session.set_typing(WHO, True)
    assert "is writing" in (await phone.ada.get(writing)).text
    await phone.one.send(ADA, "Here it is")
    assert "is writing" not in (await phone.ada.get(writing)).text, "it has said it"
    assert "has read it" not in await phone.post("say", text="Thank you")
    inbound = await phone.one.events.next(Inbound)
    await session.mark_read(WHO, [(inbound.chat_message_id, WHO)])
    assert "Front desk has read it" in await phone.page()
