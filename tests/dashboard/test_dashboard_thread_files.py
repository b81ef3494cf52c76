"""The files of a conversation: a stranger's bytes, shown as what they are to who may read it."""

from uuid import UUID

import msgspec
import pytest

from core_scene import arrival
from dashboard_inbox_scene import InboxScene
from dashboard_scene import Person
from heliograph.core.members.model import MemberRole
from heliograph.networks.content import Audio, Document, Image, Media, Video
from heliograph.networks.testing.contents import MP4, OGG, PNG
from inbox_scene import jid_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A browser has styles of its own around a picture."""
SCRIPT = b"<script>alert(document.domain)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


async def receive(inbox: InboxScene, data: bytes, content: Media, number: int = 1) -> UUID:
    """A message with a file of these bytes, whatever it says that they are; its id."""
    link = await inbox.dashboard.gateway.media.store_file(inbox.acme.tenant, data)
    inbox.arrived += 1
    heard = arrival(f"F{inbox.arrived}", jid_of(number), media_url=link)
    await inbox.report(msgspec.structs.replace(heard, content=content))
    return await inbox.message_in(await inbox.id_of(jid_of(number)))


@pytest.mark.parametrize(
    ("data", "content", "media_type", "tag"),
    [
        (PNG, Image("image/png", caption="A dot"), "image/png", '<img class="picture image" src="'),
        (MP4, Video("video/mp4"), "video/mp4", '<video class="picture" src="'),
        (OGG, Audio("audio/ogg"), "audio/ogg", '<audio src="'),
    ],
    ids=["picture", "film", "sound"],
)
async def test_a_picture_a_film_and_a_sound_are_shown_in_the_thread(
    inbox: InboxScene, data: bytes, content: Media, media_type: str, tag: str
) -> None:
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    message_id = await receive(inbox, data, content)
    ana = await inbox.id_of(jid_of(1))
    path = inbox.path(f"inbox/{ana}/file/{message_id}")
    assert f'{tag}{path}"' in (await viewer.get(inbox.path(f"inbox/{ana}"))).text
    file = await viewer.get(path)
    assert (file.status_code, file.content) == (200, data)
    assert file.headers["content-type"] == media_type
    assert file.headers["content-disposition"] == "inline"
    part = await viewer.browser.get(path, headers={"Range": "bytes=1-3"})
    assert (part.status_code, part.content) == (206, data[1:4])


@pytest.mark.parametrize("data", [SCRIPT, SVG, b"%PDF-1.7", b"GIF8 is no GIF"])
@pytest.mark.parametrize("content", [Image("image/png"), Document("text/html", file_name="a.html")])
async def test_all_else_is_a_download_whatever_it_claims_to_be(
    inbox: InboxScene, data: bytes, content: Media
) -> None:
    ada, message_id = await inbox.member("ada"), await receive(inbox, data, content)
    file = await ada.get(inbox.path(f"inbox/{await inbox.id_of(jid_of(1))}/file/{message_id}"))
    assert (file.status_code, file.content) == (200, data)
    assert file.headers["content-type"] == "application/octet-stream"
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["content-security-policy"] == POLICY


async def test_a_file_that_was_sent_has_its_name(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    await ada.upload(
        inbox.path(f"inbox/{ana}/file"), ("Café.png", PNG, "image/png"), caption="A dot"
    )
    file = await ada.get(inbox.path(f"inbox/{ana}/file/{await inbox.message_in(ana)}"))
    assert file.content == PNG
    assert file.headers["content-disposition"] == "inline; filename*=UTF-8''Caf%C3%A9.png"


@pytest.mark.parametrize(
    ("file", "is_editable"),
    [(("a.png", PNG, "image/png"), True), (("a.ogg", OGG, "audio/ogg"), False)],
    ids=["picture", "sound"],
)
async def test_the_text_below_a_file_is_edited_where_there_can_be_one(
    inbox: InboxScene, ada: Person, ana: UUID, file: tuple[str, bytes, str], is_editable: bool
) -> None:
    await ada.upload(inbox.path(f"inbox/{ana}/file"), file)
    sent = await inbox.message_in(ana)
    chosen = (await ada.get(inbox.path(f"inbox/{ana}?at={sent}"))).text
    assert ('data-opens="edit"' in chosen) is is_editable


async def test_a_file_is_of_its_own_conversation_alone(inbox: InboxScene, ada: Person) -> None:
    message_id = await receive(inbox, PNG, Image("image/png"))
    ana, ben = await inbox.id_of(jid_of(1)), await inbox.arrive(2)
    missing = [
        f"inbox/{ben}/file/{message_id}",
        f"inbox/{ben}/file/{await inbox.message_in(ben)}",
        f"inbox/{ana}/file/{ana}",
    ]
    for path in missing:
        assert (await ada.get(inbox.path(path))).status_code == 404, path
    globex = await inbox.dashboard.organization("Globex")
    mallory = await inbox.dashboard.member("mallory", globex, MemberRole.OWNER)
    for organization in (inbox.acme, globex):
        stolen = await mallory.get(f"/dashboard/{organization.id}/inbox/{ana}/file/{message_id}")
        assert (stolen.status_code in (403, 404), PNG in stolen.content) == (True, False)


async def test_a_link_that_leads_elsewhere_is_not_followed(inbox: InboxScene, ada: Person) -> None:
    message_id = await receive(inbox, PNG, Image("image/png"))
    globex = await inbox.dashboard.organization("Globex")
    theirs = await inbox.dashboard.gateway.media.store_file(globex.tenant, b"Secret")
    path = inbox.path(f"inbox/{await inbox.id_of(jid_of(1))}/file/{message_id}")
    for link in (theirs, "http://127.0.0.1:1/x.png", "file:///etc/passwd"):
        await inbox.dashboard.rows("UPDATE messages SET media_url = $1", link)
        assert (await ada.get(path)).status_code == 404, link


async def test_a_file_that_is_gone_is_missing(inbox: InboxScene, ada: Person) -> None:
    message_id = await receive(inbox, PNG, Image("image/png"))
    await inbox.dashboard.rows("UPDATE messages SET media_url = replace(media_url, '?', 'x?')")
    path = inbox.path(f"inbox/{await inbox.id_of(jid_of(1))}/file/{message_id}")
    assert (await ada.get(path)).status_code == 404
