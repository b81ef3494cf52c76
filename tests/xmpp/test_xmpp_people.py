"""People: names, numbers and pictures, and what a stranger puts into them."""

import base64

import pytest

from heliograph.networks.errors import PictureNotFoundError
from heliograph.networks.port import ContactSeen
from heliograph.networks.xmpp.session import XmppSession
from xmpp_server import DOMAIN
from xmpp_world import Xmpp, picture, session_of

pytest_plugins = ("xmpp_fixtures",)


async def contacts_of(session: object) -> dict[str, ContactSeen]:
    assert isinstance(session, XmppSession)
    return {contact.remote_jid: contact async for page in session.contacts() for contact in page}


async def test_a_number_is_told_by_the_address(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    seen = (await contacts_of(one.session))[xmpp.address(xmpp.person)]
    assert (seen.name, seen.phone_number) == ("Žofie", f"+{xmpp.person}")


async def test_a_number_and_a_name_are_told_by_the_card(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    friend = await xmpp.friend(xmpp.server.add_person("julietcapulet"))
    await friend.write_card(NICKNAME="Jule", TEL="+49 30 1234567")
    laptop = await xmpp.laptop(one)
    laptop.client.update_roster(friend.jid, name="Juliet")
    await laptop.synchronize()

    seen = (await contacts_of(one.session))[friend.jid]
    assert (seen.name, seen.chat_name, seen.phone_number) == ("Juliet", "Jule", "+49301234567")


async def test_a_picture_may_be_in_the_card_alone(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    friend = await xmpp.friend(xmpp.server.add_person("romeomontague"))
    await friend.write_card(FN="Romeo", PHOTO=base64.b64encode(picture()).decode())

    found = await session_of(one).picture(friend.jid, preview=False)
    assert found is not None
    assert found.data == picture()
    known = found.picture_id
    assert await session_of(one).picture(friend.jid, preview=False, known_id=known) is None


async def test_who_has_no_picture_has_none(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    for jid in (xmpp.address(xmpp.other_person), f"nobody@{DOMAIN}"):
        with pytest.raises(PictureNotFoundError):
            await session_of(one).picture(jid, preview=False)
