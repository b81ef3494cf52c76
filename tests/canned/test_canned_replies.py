"""Canned replies are an organization's own, one behind each shortcut."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from each_case import for_each
from heliograph.core.canned import service
from heliograph.core.canned.model import CannedReply
from heliograph.core.canned.service import CannedReplyService
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import InvalidInputError, MissingScopeError, NotFoundError
from inbox_scene import NOBODY, Desk
from inbox_scene import desk as desk


def replies_of(desk: Desk) -> CannedReplyService:
    return CannedReplyService(desk.scene.database, desk.scene.changes)


async def kept(desk: Desk, principal: Principal | None = None) -> dict[str, str]:
    """The texts behind the shortcuts, in the order in which they are listed."""
    found = await replies_of(desk).list(principal or desk.owner)
    return {reply.shortcut: reply.body for reply in found}


async def test_replies_are_listed_by_shortcut(desk: Desk) -> None:
    replies = replies_of(desk)
    for shortcut in ("thanks", "/Hours", " bye "):
        await replies.create(desk.owner, shortcut, f"About {shortcut}")
    assert list((await kept(desk)).items()) == [
        ("bye", "About  bye "),
        ("hours", "About /Hours"),
        ("thanks", "About thanks"),
    ]
    assert await kept(desk, desk.stranger) == {}


async def test_a_text_is_kept_as_it_was_written(desk: Desk) -> None:
    body = "  Dear {name},\n\n<b>we</b> open at 9. 🌞\n"
    made = await replies_of(desk).create(desk.owner, "öffnungszeiten-2026", body)
    assert made.body == body
    assert await kept(desk) == {"öffnungszeiten-2026": body}


async def test_no_two_have_the_same_shortcut(desk: Desk) -> None:
    replies = replies_of(desk)
    first = await replies.create(desk.owner, "hours", "From nine")
    other = await replies.create(desk.owner, "bye", "Goodbye")
    await replies.create(desk.stranger, "hours", "Never")
    with pytest.raises(InvalidInputError, match="already a canned reply '/hours'"):
        await replies.create(desk.owner, "/HOURS", "From ten")
    with pytest.raises(InvalidInputError, match="already a canned reply '/hours'"):
        await replies.change(desk.owner, other.id, "hours", "From ten")
    changed = await replies.change(desk.owner, first.id, "hours", "From ten")
    assert (changed.id, changed.created_at) == (first.id, first.created_at)
    assert changed.updated_at > first.updated_at
    assert await kept(desk) == {"bye": "Goodbye", "hours": "From ten"}
    assert await kept(desk, desk.stranger) == {"hours": "Never"}


async def test_no_two_shortcuts_look_alike(desk: Desk) -> None:
    replies = replies_of(desk)
    first = await replies.create(desk.owner, "hi", "Hello")
    await replies.create(desk.owner, "öffnung", "From nine")
    for alike in ("\uff48\uff49", "HI", "h\u00ed", "\u00d6ffnung", "offnung"):
        with pytest.raises(InvalidInputError, match="already a canned reply"):
            await replies.create(desk.owner, alike, "Hello")
    assert (await replies.change(desk.owner, first.id, "\uff48\uff49", "Hello")).id == first.id


@for_each(
    ("typed", "shortcut"),
    [
        ("สวัสดี", "สวัสดี"),
        ("नमस्ते-२", "नमस्ते-२"),
        ("வணக்கம்", "வணக்கம்"),
        ("မင်္ဂလာပါ", "မင်္ဂလာပါ"),
        ("مَرحَبا", "مَرحَبا"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("/cafe\u0301", "caf\u00e9"),
        ("\u0130zmir", "i\u0307zmir"),
        ("\u200f/שלום", "שלום"),
        ("Straße", "straße"),
    ],
)
async def test_a_shortcut_is_a_word_of_any_language(desk: Desk, typed: str, shortcut: str) -> None:
    assert (await replies_of(desk).create(desk.owner, typed, "Hello")).shortcut == shortcut


@for_each(
    "typed", ["", "/", "a b", "a_b", "a--b", "-a", "a.b", "🌞", "\u0301", "a-\u0301", "\u200d"]
)
async def test_a_shortcut_is_nothing_but_a_word(desk: Desk, typed: str) -> None:
    with pytest.raises(InvalidInputError, match="letters, digits and hyphens"):
        await replies_of(desk).create(desk.owner, typed, "Hello")


@pytest.mark.parametrize("nothing", ["\u3164", "\u200b", " \u2800"])
async def test_a_reply_has_something_to_see(desk: Desk, nothing: str) -> None:
    with pytest.raises(InvalidInputError):
        await replies_of(desk).create(desk.owner, nothing, "Hello")
    with pytest.raises(InvalidInputError):
        await replies_of(desk).create(desk.owner, "hi", nothing)


@pytest.mark.parametrize("shortcuts", [["hours"] * 4, ["cafe", "café", "cafè", "cafê"]])
async def test_who_takes_a_shortcut_at_the_same_moment_is_refused(
    desk: Desk, shortcuts: list[str]
) -> None:
    made = await asyncio.gather(
        *[replies_of(desk).create(desk.owner, shortcut, "Hello") for shortcut in shortcuts],
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in made].count(CannedReply) == 1
    assert [type(outcome) for outcome in made].count(InvalidInputError) == 3
    assert len(await kept(desk)) == 1


@pytest.mark.parametrize(
    ("shortcut", "body"),
    [
        ("", "x"),
        ("/", "x"),
        ("two words", "x"),
        ("a/b", "x"),
        ("-a", "x"),
        ("a-", "x"),
        ("{name}", "x"),
        ("a\0", "x"),
        ("x" * 31, "x"),
        ("hours", ""),
        ("hours", " \n"),
        ("hours", "x" * 4097),
        ("hours", "x\0"),
    ],
)
async def test_what_is_no_reply_is_refused(desk: Desk, shortcut: str, body: str) -> None:
    reply = await replies_of(desk).create(desk.owner, "x" * 30, "x" * 4096)
    with pytest.raises(InvalidInputError):
        await replies_of(desk).create(desk.owner, shortcut, body)
    with pytest.raises(InvalidInputError):
        await replies_of(desk).change(desk.owner, reply.id, shortcut, body)
    assert await kept(desk) == {"x" * 30: "x" * 4096}


async def test_there_are_not_too_many(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_REPLIES", 2)
    replies = replies_of(desk)
    made = [await replies.create(desk.owner, shortcut, "x") for shortcut in ("a", "b")]
    with pytest.raises(InvalidInputError, match="at most 2"):
        await replies.create(desk.owner, "c", "x")
    await replies.change(desk.owner, made[0].id, "c", "x")
    await replies.delete(desk.owner, made[1].id)
    await replies.create(desk.owner, "d", "x")
    assert list(await kept(desk)) == ["c", "d"]


async def test_a_reply_that_is_not_there_is_no_ones(desk: Desk) -> None:
    replies = replies_of(desk)
    reply = await replies.create(desk.owner, "hours", "From nine")
    for principal, reply_id in ((desk.owner, NOBODY), (desk.stranger, reply.id)):
        with pytest.raises(NotFoundError):
            await replies.change(principal, reply_id, "bye", "x")
        await replies.delete(principal, reply_id)
    assert await kept(desk) == {"hours": "From nine"}
    await replies.delete(desk.owner, reply.id)
    assert await kept(desk) == {}


async def test_each_act_needs_its_scope(desk: Desk) -> None:
    replies = replies_of(desk)
    reply = await replies.create(desk.owner, "hours", "From nine")
    acts: dict[str, list[Callable[[Principal], Awaitable[object]]]] = {
        "conversations:read": [replies.list],
        "conversations:write": [
            lambda who: replies.create(who, "bye", "x"),
            lambda who: replies.change(who, reply.id, "bye", "x"),
            lambda who: replies.delete(who, reply.id),
        ],
    }
    for scope, needing in acts.items():
        without = replace(desk.owner, scopes=frozenset(SCOPES) - {scope})
        for act in needing:
            with pytest.raises(MissingScopeError):
                await act(without)
    assert await kept(desk) == {"hours": "From nine"}
