"""Invite links as people paste them, on every network that has some."""

from collections.abc import Callable

import pytest

from each_case import for_each
from heliograph.networks.errors import InvalidInviteError
from heliograph.networks.sandbox.addresses import invite_code as sandbox_code
from heliograph.networks.whatsapp.addresses import invite_code as whatsapp_code
from heliograph.networks.xmpp.addresses import invited_to

CODE = "AbCdEfGhIjKlMnOpQrSt"
ROOM = "trip@conference.example.org"
LINKS = {
    "whatsapp": f"chat.whatsapp.com/{CODE}Uv",
    "sandbox": f"sandbox.example/join/{CODE}",
}
READERS: dict[str, tuple[Callable[[str], str], str]] = {
    "whatsapp": (whatsapp_code, f"{CODE}Uv"),
    "sandbox": (sandbox_code, CODE),
}
PASTED = [
    "{}",
    "http://{}",
    "https://{}",
    "HTTPS://{}",
    "https://{}/",
    "https://{}?mode=ac_t",
    "https://{}#x",
    "https://{}/?a=b#c",
    "<https://{}>",
    "(https://{})",
    "\u201chttps://{}\u201d",
    "*https://{}*",
    "_https://{}_",
    "`https://{}`",
    "https://{}.",
    "https://{},",
    "https://{}!",
    "\u200e https://{}\u202c\u00a0",
    "https://\u200b{}\ufeff",
    "\n\thttps://{}\r\n",
    '<a href="https://{}">Join</a>',
    "<a class=x href='https://{}'>",
    "[Join us](https://{})",
    "Open this link to join my group: https://{}",
    "https://{} see you there",
    "***https://{}***",
    "https%3A%2F%2F{}",
]


@for_each("network", READERS)
@for_each("pasted", PASTED)
def test_a_link_is_found_in_what_was_pasted(network: str, pasted: str) -> None:
    read, code = READERS[network]
    assert read(pasted.format(LINKS[network])) == code


@pytest.mark.parametrize("network", READERS)
def test_the_host_of_a_link_is_read_in_any_case_and_its_code_as_it_is(network: str) -> None:
    read, code = READERS[network]
    link = LINKS[network]
    assert read(f"https://{link.removesuffix(code).upper()}{code}") == code


@for_each("network", READERS)
@for_each("pasted", ["{}", " {} ", "\u200e{}\u202c", "{}/", "{}?x=y", "({})"])
def test_the_bare_code_is_a_link(network: str, pasted: str) -> None:
    read, code = READERS[network]
    assert read(pasted.format(code)) == code


@for_each(
    "link",
    [
        f"whatsapp://chat/?code={CODE}Uv",
        f"WhatsApp://chat?code={CODE}Uv",
        f"whatsapp://chat.whatsapp.com/{CODE}Uv",
        f"https://chat.whatsapp.com/invite/{CODE}Uv",
        f"https://web.whatsapp.com/accept?code={CODE}Uv",
        f"https://api.whatsapp.com/accept?code={CODE}Uv",
        f"api.whatsapp.com/accept/?code={CODE}Uv&lang=de",
        f"https://www.chat.whatsapp.com/{CODE}Uv",
        f"www.chat.whatsapp.com/invite/{CODE}Uv",
    ],
)
def test_whatsapps_own_links_are_read(link: str) -> None:
    assert whatsapp_code(link) == f"{CODE}Uv"


@pytest.mark.parametrize(
    "link",
    [
        f"https://api.whatsapp.com.evil.example/accept?code={CODE}Uv",
        f"https://evilapi.whatsapp.com/accept?code={CODE}Uv",
        f"https://wwww.chat.whatsapp.com/{CODE}Uv",
    ],
)
def test_what_only_looks_like_whatsapps_own_link_is_refused(link: str) -> None:
    with pytest.raises(InvalidInviteError):
        whatsapp_code(link)


@for_each("read", [whatsapp_code, sandbox_code, invited_to])
@for_each(
    "part", ["*", "*_", "[](", "[", "[](<", "href=", 'href="', "chat.whatsapp.com/", "xmpp:", "&"]
)
def test_what_is_made_to_take_long_is_refused(read: Callable[[str], object], part: str) -> None:
    """Patterns that try each division of it took hours."""
    with pytest.raises(InvalidInviteError):
        read(part * 300_000 + "x")


@for_each("network", READERS)
@for_each(
    "wrong",
    [
        "",
        "short",
        "https://example.org/{code}",
        "https://evil.example/{link}",
        "https://{link}x.y@evil.example/",
        "https://{link} https://{base}ZzCdEfGhIjKlMnOpQrSt{rest}",
        "https://{base}short",
        "{code} {code}",
    ],
)
def test_what_is_no_link_or_several_is_refused(network: str, wrong: str) -> None:
    read, code = READERS[network]
    link = LINKS[network]
    if wrong == "https://{link}x.y@evil.example/" and network == "whatsapp":
        wrong = "https://x{link}"
    text = wrong.format(code=code, link=link, base=link.removesuffix(code), rest=code[20:])
    with pytest.raises(InvalidInviteError):
        read(text)


@for_each(
    "pasted",
    [
        "{}",
        "xmpp:{}",
        "xmpp:{}?join",
        "XMPP:{}?JOIN",
        "xmpp:{}?join#x",
        "xmpp://{}?join",
        "xmpp://guest@example.org/{}?join",
        "<xmpp:{}?join>",
        "xmpp:{}?join.",
        "\u200exmpp:{}?join\u202c",
        '<a href="xmpp:{}?join">Join</a>',
        "[Join](xmpp:{}?join)",
        "Come to xmpp:{}?join tonight",
        "https://invite.example/#{}?join",
        "https://example.im/j/{}",
    ],
)
def test_an_invitation_of_xmpp_is_found_in_what_was_pasted(pasted: str) -> None:
    assert invited_to(pasted.format(ROOM)) == (ROOM, None)


def test_the_password_in_an_invitation_is_kept() -> None:
    assert invited_to(f"<xmpp:{ROOM}?join;password=p%3Bq>") == (ROOM, "p;q")


def test_the_name_of_a_room_may_be_escaped() -> None:
    assert invited_to("xmpp:r%C3%A4um@muc.example.org?join") == ("räum@muc.example.org", None)


@for_each(
    "wrong",
    [
        "",
        "trip",
        f"xmpp:{ROOM}?message",
        f"xmpp:{ROOM}?join xmpp:other@{ROOM}?join",
        "xmpp:my%20room@muc.example.org?join",
        "https://example.org/room",
    ],
)
def test_what_is_no_invitation_of_xmpp_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInviteError):
        invited_to(wrong)
