"""A search finds what people mean in every list, costs more than a page, and ends in time."""

from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from api_scene import Scene, buttons
from api_scene import scene as scene
from heliograph.core.contacts.resolve import ObservedPerson, resolve_contacts
from heliograph.core.messages.search.index import NEW, MessageIndexer
from heliograph.core.rates.service import SEARCH_COST
from heliograph.platform.database import pool
from inbox_rows import insert_contact, insert_conversation

BUTTONS = "/api/v1/messages/send/interactive/buttons"
NAMES = {
    "José da Conceição": ("jose", "CONCEICAO", "josé da"),
    "Nguyễn Văn Đức": ("duc", "nguyen van", "ĐỨC"),
    "Łukasz Żółw": ("lukasz", "zolw", "LUKASZ Zo"),
    "Søren Æbelø": ("soren", "aebelo"),
    "İpek Işık": ("ipek", "isik", "IŞIK"),
    "Jürgen Weiß": ("weiss", "JURGEN", "weiß"),
    "Þórunn Guðrún": ("thorunn", "gudrun"),
    "محمـــد أحمد": ("محمد", "احمد"),
    "Ｋａｔｅ Oʼbrien": ("kate", "o'brien", "o’brien"),
    "김철수": ("김", "김철"),
    "Ὀδυσσεύς": ("οδυσσευσ", "ΟΔΥΣΣΕΥΣ"),
}
WANTED = [(name, text) for name, texts in NAMES.items() for text in texts]


async def get(scene: Scene, path: str, status: int = 200, **query: object) -> Any:
    answer = await scene.as_acme("GET", f"/api/v1/{path}", params=query)
    assert answer.status_code == status, answer.text
    return answer.json()


async def index(scene: Scene) -> None:
    await MessageIndexer(scene.database, lag=timedelta(seconds=-5)).read(NEW)


async def send(scene: Scene, text: str) -> None:
    sent = await scene.as_acme("POST", BUTTONS, json=buttons(body=text))
    assert sent.status_code < 300, sent.text


async def test_all_lists_find_a_name_however_it_is_written(scene: Scene) -> None:
    for number, name in enumerate(NAMES):
        jid = f"1555010{number:04d}@sandbox"
        contact_id = await insert_contact(scene, f"+1555010{number:04d}")
        await scene.as_acme("PATCH", f"/api/v1/contacts/{contact_id}", json={"name": name})
        await insert_conversation(scene, jid, number, contact_id=contact_id)
        await send(scene, name)
        device = {"name": name, "network": "sandbox", "session_name": f"phone-{number}"}
        made = await scene.as_acme("POST", "/api/v1/devices", json=device)
        assert made.status_code < 300, made.text
    await index(scene)
    for name, text in WANTED:
        for path, key, member in (
            ("contacts", "contacts", "display_name"),
            ("conversations", "conversations", "display_name"),
            ("messages", "messages", "content"),
            ("devices", "devices", "name"),
        ):
            found = [str(each[member]) for each in (await get(scene, path, search=text))[key]]
            assert len(found) == 1, (path, text, found)
            assert name in found[0]


@pytest.mark.parametrize("nothing", ["", " ", "\u0301", "\u200b", "\u2067 \u2069", "\u00a0\u0300"])
async def test_a_search_in_which_nothing_is_seen_is_no_filter(scene: Scene, nothing: str) -> None:
    contact_id = await insert_contact(scene, "+15550100001")
    await insert_conversation(scene, "15550100001@sandbox", 1, contact_id=contact_id)
    await send(scene, "Hello")
    for path in ("contacts", "conversations", "messages", "devices"):
        assert len((await get(scene, path, search=nothing))[path]) == 1, path
    assert (await get(scene, "messages", search="!"))["messages"] == []


async def test_names_that_a_network_reports_are_folded_as_well(scene: Scene) -> None:
    tenant = scene.acme.organization.tenant
    for name in ("Đức", "Łucja"):  # a new contact, and one whose name changes
        seen = [ObservedPerson(tenant, "sandbox", "15550100001@sandbox", "+15550100001", name)]
        await scene.database.transact(resolve_contacts, tenant.shard, seen, scene.database.clock)
    assert (await get(scene, "contacts", search="duc"))["contacts"] == []
    [contact] = (await get(scene, "contacts", search="lucja"))["contacts"]
    assert contact["display_name"] == "Łucja"


async def test_one_letter_is_a_word_and_two_are_the_beginning_of_one(scene: Scene) -> None:
    for text in ("plan b", "bananas", "天気", "한국어"):
        await send(scene, text)
    await index(scene)

    async def found(text: str) -> int:
        return len((await get(scene, "messages", search=text))["messages"])

    assert [await found(text) for text in ("b", "ba", "天", "한", "a", "n")] == [1, 1, 1, 1, 0, 0]


async def test_nothing_of_others_is_among_the_words_that_a_search_reads(scene: Scene) -> None:
    await send(scene, "hello there")
    await index(scene)
    rows = await scene.database.pool.fetch(
        "SELECT organization_id, unnest(tsvector_to_array(words)) AS word FROM message_words"
    )
    assert rows
    assert all(row["word"].startswith(UUID(str(row["organization_id"])).hex[-8:]) for row in rows)


async def test_a_search_costs_more_of_the_rate(scene: Scene) -> None:
    async def left(path: str) -> int:
        answer = await scene.as_acme("GET", f"/api/v1/{path}")
        return int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0])

    before = await left("messages")
    assert before - await left("messages?limit=2") == 1
    for path in ("messages", "contacts", "conversations", "devices"):
        before = await left("messages")
        assert before - await left(f"{path}?limit=1&search=ana") == SEARCH_COST
    before = await left("messages")
    assert before - await left("messages?searc%68=ana") == SEARCH_COST


@pytest.mark.parametrize("path", ["messages", "contacts", "conversations"])
async def test_a_search_that_takes_too_long_says_what_to_do(
    scene: Scene, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SEARCH_TIMEOUT", 0.001)
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(scene.database.pool.acquire())
        await stack.enter_async_context(connection.transaction())
        tables = "message_words, contacts, conversations"
        await connection.execute(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
        [problem] = (await get(scene, path, 422, search="hello"))["detail"]
    assert problem["loc"] == ["query", "search"]
    assert "took longer than" in problem["msg"]
