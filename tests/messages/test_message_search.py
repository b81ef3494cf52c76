"""Messages are found by their words: of the tenant alone, whatever the language, as long as they
are kept."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from core_scene import ADA, AT, BOB, NETWORK, SHARD, Scene, arrival
from each_case import for_each
from heliograph.core.accounts.devices import DeviceUpdate
from heliograph.core.ingest.model import MessageRefused
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.lists import service as listing
from heliograph.core.messages.lists.filters import MessageFilter
from heliograph.core.messages.retention_sql import delete_messages
from heliograph.core.messages.search import sql as search_sql
from heliograph.core.messages.search import turns as search_turns
from heliograph.core.messages.search.index import ALL, NEW, MessageIndexer
from heliograph.core.messages.search.sql import delete_orphans
from heliograph.core.messages.search.words import MAX_WORDS, query_of, vector_of, words_of
from heliograph.core.tenants.model import operator
from heliograph.core.tenants.old_rows import NIL
from heliograph.networks.content import Button, Buttons, Text, encode_content
from heliograph.networks.port import Changed
from heliograph.platform.database.pool import Connection
from placing import place_organization

SOON = timedelta(seconds=-5)
"""The lag of a pass that reads what was stored this moment."""


async def read_new(scene: Scene) -> int:
    return await MessageIndexer(scene.database, lag=SOON).read(NEW)


async def read_all(scene: Scene) -> int:
    return await MessageIndexer(scene.database, settled=SOON).read(ALL)


async def found(scene: Scene, search: str, **only: Any) -> list[str]:
    """What all messages say that are found, over all pages of two."""
    texts, cursor = [], None
    while True:
        page = await scene.lists.list(
            scene.principal, MessageFilter(search=search, **only), limit=2, cursor=cursor
        )
        texts += [record["content"] for record in page.records]
        cursor = page.next_cursor
        if cursor is None:
            return texts


async def test_all_words_must_be_there_and_the_last_may_be_a_beginning(scene: Scene) -> None:
    for text in ("Grüße aus Köln", "The cat sat", "the CATALOGUE is here", "Cathedral"):
        await scene.accept(text)
    assert await found(scene, "cat") == []  # nobody has read them yet
    await read_new(scene)
    assert await found(scene, "cat") == ["Cathedral", "the CATALOGUE is here", "The cat sat"]
    assert await found(scene, "the cat") == ["the CATALOGUE is here", "The cat sat"]
    assert await found(scene, "cat the") == ["The cat sat"]
    assert await found(scene, "sat the") == ["The cat sat"]
    assert await found(scene, "GRUSSE koln") == ["Grüße aus Köln"]
    assert await found(scene, "dog") == []


@for_each(
    "search",
    [
        *("...", "?!", "'", "\\", "a:b", "!dog", "dog & | ", "<->", "'; --", "*", ":*"),
        *("+1 (555) 0-1", "@" + "0" * 8, "😀", "x" * 5000, "a " * 2000),
    ],
)
async def test_any_text_can_be_searched_for(scene: Scene, search: str) -> None:
    await scene.accept("The cat sat")
    await read_new(scene)
    assert await found(scene, search) == []


async def test_an_edit_of_what_is_just_being_read_is_found(scene: Scene) -> None:
    message_id = await scene.accept("Before")

    async def read(connection: Connection) -> None:
        tenant = scene.principal.tenant
        keys = [(tenant.organization_id, message_id)]
        [message] = await search_sql.find_unread(connection, tenant.shard, keys)
        await scene.edits.edit(scene.principal, message_id, Text("After"))
        vector = vector_of(message.organization_id, message.content or "")
        words = search_sql.Words(
            message.organization_id, message.id, message.account_id, vector or ""
        )
        await search_sql.insert_words(connection, message.shard, [words])

    await scene.database.transact(read)
    assert (await found(scene, "after"), await found(scene, "before")) == (["After"], [])


async def test_numbers_and_scripts_without_spaces_are_found(scene: Scene) -> None:
    await scene.accept("Call +1 (555) 010-0199 today")
    await scene.accept("今日は天気がいい")
    await scene.accept("नमस्ते दुनिया")
    await read_new(scene)
    assert await found(scene, "+1 555 010-01") == ["Call +1 (555) 010-0199 today"]
    assert await found(scene, "天気") == ["今日は天気がいい"]
    assert await found(scene, "दुनिया") == ["नमस्ते दुनिया"]


async def test_buttons_are_found_by_all_they_say(scene: Scene) -> None:
    content = Buttons("Coming?", (Button("yes-id", "Certainly"),), footer="Trattoria")
    await scene.messages.send(scene.principal, SendMessage(SendTo(ADA), content, "run"), None)
    await read_new(scene)
    for word in ("coming", "certainly", "trattoria"):
        assert await found(scene, word) == ["Coming?"]
    assert await found(scene, "yes-id") == []


async def test_another_organizations_words_are_not_found(scene: Scene) -> None:
    await scene.report(arrival("A1", text="secret"))
    await read_new(scene)
    other = await place_organization(scene.database, "Other", SHARD)
    assert await found(scene, "secret") == ["secret"]
    page = await scene.lists.list(operator(other.tenant), MessageFilter(search="secret"))
    assert page.records == []


async def test_filters_hold_for_what_is_found(scene: Scene) -> None:
    await scene.send("cat one")
    await scene.accept("cat two", BOB)
    other = await scene.accounts.create(scene.principal, NETWORK, "Other", "other", {})
    await scene.accept("cat three", account_id=other.id)
    await read_new(scene)
    [row] = await scene.rows("SELECT id FROM conversations")
    assert await found(scene, "cat", status="sent") == ["cat one"]
    assert await found(scene, "cat", conversation_id=row["id"]) == ["cat one"]
    assert await found(scene, "dog", conversation_id=row["id"]) == []
    assert await found(scene, "cat", chat_account_id=other.id) == ["cat three"]
    scene.principal = scene.limited(scene.account.id)
    assert await found(scene, "cat") == ["cat two", "cat one"]


async def test_a_common_word_is_found_page_by_page(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_SCANNED", 4)
    monkeypatch.setattr(listing, "MAX_SCANNED_WORDS", 2)
    await scene.report(*[arrival(f"A{n}", text=f"cat {n}") for n in range(12)])
    await scene.report(*[arrival(f"B{n}", text=f"dog {n}") for n in range(12)])
    await read_new(scene)
    cats = await found(scene, "cat")
    assert (len(cats), set(cats)) == (12, {f"cat {n}" for n in range(12)})


async def test_messages_from_before_the_search_and_late_ones_are_read_once(scene: Scene) -> None:
    for n in range(5):
        await scene.accept(f"cat {n}")
    assert await read_all(scene) == 5
    assert await read_all(scene) == 0
    assert len(await found(scene, "cat")) == 5
    assert await read_new(scene) == 5
    assert await read_new(scene) == 0
    assert await scene.count("message_words") == 5


async def test_an_edited_message_is_found_by_what_it_says_now(scene: Scene) -> None:
    await scene.report(arrival("A1", text="cat"))
    await read_new(scene)
    await scene.report(Changed("edited", ADA, ADA, "E1", "A1", ADA, AT, Text("dog")))
    await read_all(scene)
    assert await found(scene, "cat") == []
    assert await found(scene, "dog") == ["dog"]


async def keep_no_contents(scene: Scene) -> None:
    await scene.change_account(DeviceUpdate(message_logging_enabled=False))


async def test_what_is_not_kept_is_never_read(scene: Scene) -> None:
    await keep_no_contents(scene)
    await scene.accept("cat waits")
    await scene.report(arrival("A1", text="cat"))
    assert await read_new(scene) == await read_all(scene) == 2
    assert await scene.count("message_words") == 0


async def test_words_are_forgotten_with_the_content(scene: Scene) -> None:
    await scene.accept("cat")
    await read_new(scene)
    await keep_no_contents(scene)
    [claimed] = await scene.claim()
    await scene.report(MessageRefused(claimed.id, "No."))
    assert await scene.count("message_words") == 0


async def test_words_that_were_read_too_late_are_forgotten_by_the_second_pass(scene: Scene) -> None:
    await scene.accept("cat")
    await read_new(scene)
    await keep_no_contents(scene)
    await read_all(scene)
    assert await scene.count("message_words") == 0


async def test_words_go_with_messages_that_are_too_old(scene: Scene) -> None:
    await scene.report(arrival("A1", text="cat"))
    await scene.accept("cat waits")
    await read_new(scene)
    tenant, later = scene.principal.tenant, scene.database.clock.now() + timedelta(days=365)
    await scene.database.transact(delete_messages, tenant, NIL, later, 10)
    batch = await scene.database.transact(delete_orphans, tenant, NIL, later, 10)
    assert (batch.deleted, batch.looked_at) == (1, 2)
    assert await found(scene, "cat") == ["cat waits"]


async def test_one_node_at_a_time_reads(scene: Scene) -> None:
    await scene.accept("cat")
    async with scene.database.pool.acquire() as other, other.transaction():
        await other.execute("SELECT 1 FROM word_marks WHERE name = 'new' FOR UPDATE")
        assert await read_new(scene) == 0
    assert await read_new(scene) == 1


@pytest.mark.parametrize("takes_over", [False, True])
async def test_many_messages_are_read_batch_by_batch_also_by_a_node_that_takes_over(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, takes_over: bool
) -> None:
    monkeypatch.setattr(search_turns, "BATCH", 3)
    for n in range(7):
        await scene.accept(f"cat {n}")
    indexers = [MessageIndexer(scene.database, lag=SOON) for _ in range(4)]
    reading = indexers if takes_over else indexers[:1] * 4
    assert [await indexer.read(NEW) for indexer in reading] == [3, 3, 1, 0]
    assert len(await found(scene, "cat")) == 7


async def test_long_texts_of_one_organization_keep_no_other_waiting(scene: Scene) -> None:
    for n in range(40):
        await scene.accept("cat" + "".join(f" w{n}x{number}" for number in range(400)))
    other = await place_organization(scene.database, "Other", SHARD)
    principal = operator(other.tenant)
    await scene.accounts.create(principal, NETWORK, "Phone", "phone", {})
    await scene.messages.send(principal, SendMessage(SendTo(ADA), Text("dog"), "run"), None)
    indexer = MessageIndexer(scene.database, lag=SOON)
    assert 1 < await indexer.read(NEW) < 40
    page = await scene.lists.list(principal, MessageFilter(search="dog"))
    assert len(page.records) == 1
    while await indexer.read(NEW):
        pass
    assert await scene.count("message_words") == 41


def test_words_have_bounds() -> None:
    organization_id = UUID(int=1)
    long = " ".join(str(n) for n in range(5000))
    vector = vector_of(organization_id, encode_content(Text(long)))
    assert vector is not None
    assert len(vector.split()) == MAX_WORDS
    assert words_of("x" * 100) == ["x" * 64]
    assert vector_of(organization_id, encode_content(Text("..."))) is None
    assert query_of(uuid4(), "...") is None
    assert vector_of(organization_id, msgspec.json.encode({"a": [1, None, {"b": "cat"}]})) == (
        "00000001cat"
    )
