"""Lists of messages and their history over HTTP: paged, searched, refused with a reason."""

from datetime import timedelta
from typing import Any

import pytest

from api_scene import BUTTONS, Scene, buttons
from each_case import for_each
from heliograph.core.messages.search.index import NEW, MessageIndexer


async def send(scene: Scene, text: str) -> str:
    sent = await scene.as_acme("POST", BUTTONS, json=buttons(body=text))
    return str(sent.json()["message_id"])


async def messages(scene: Scene, **query: object) -> dict[str, Any]:
    answer = await scene.as_acme("GET", "/api/v1/messages", params=query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def list_by_page(scene: Scene, pages: int, **query: object) -> list[str]:
    """The ids of so many pages, of which the last leads to no other."""
    found, more = list[str](), dict[str, object]()
    for _ in range(pages):
        page = await messages(scene, **query, **more)
        found += [message["id"] for message in page["messages"]]
        more = {"cursor": page["next_cursor"]}
    assert more == {"cursor": None}
    return found


async def test_pages_lead_from_one_to_the_next(scene: Scene) -> None:
    ids = [await send(scene, f"Message {n}") for n in range(5)]
    assert await list_by_page(scene, 3, limit=2) == sorted(ids, reverse=True)


async def test_a_listed_message_is_the_whole_record(scene: Scene) -> None:
    message_id = await send(scene, "Hello")
    [listed] = (await messages(scene, status="queued"))["messages"]
    assert listed == (await scene.as_acme("GET", f"/api/v1/messages/{message_id}")).json()


async def test_a_message_is_looked_up_by_the_ids_that_others_know(scene: Scene) -> None:
    ids = [await send(scene, f"Message {n}") for n in range(3)]
    record = (await scene.as_acme("GET", f"/api/v1/messages/{ids[1]}")).json()
    for query in (
        {"run_id": record["run_id"]},
        {"chat_message_id": record["chat_message_id"]},
        {"run_id": record["run_id"], "chat_message_id": record["chat_message_id"]},
        {"run_id": record["run_id"], "direction": "outbound", "status": "queued"},
    ):
        page = await messages(scene, **query)
        assert ([each["id"] for each in page["messages"]], page["next_cursor"]) == ([ids[1]], None)
    other = (await scene.as_acme("GET", f"/api/v1/messages/{ids[2]}")).json()
    for query in (
        {"run_id": "run_0"},
        {"chat_message_id": ""},
        {"run_id": record["run_id"], "chat_message_id": other["chat_message_id"]},
        {"run_id": record["run_id"], "direction": "inbound"},
    ):
        assert (await messages(scene, **query))["messages"] == []


async def test_what_shares_an_id_is_paged_and_stays_with_its_organization(scene: Scene) -> None:
    ids = [await send(scene, f"Message {n}") for n in range(5)]
    await scene.database.pool.execute("UPDATE messages SET chat_message_id = 'same'")
    found = await list_by_page(scene, 3, chat_message_id="same", limit=2)
    assert found == sorted(ids, reverse=True)
    theirs = await scene.as_globex("GET", "/api/v1/messages?chat_message_id=same")
    assert theirs.json()["messages"] == []


async def test_messages_are_searched(scene: Scene) -> None:
    await send(scene, "Grüße aus Köln")
    indexer = MessageIndexer(scene.database, lag=timedelta(seconds=-5))
    await indexer.read(NEW)
    assert len((await messages(scene, search="koln"))["messages"]) == 1
    assert (await messages(scene, search="!!"))["messages"] == []


@for_each(
    ("name", "value"),
    [
        *(("limit", 0), ("limit", 101), ("cursor", "nonsense"), ("cursor", "é"), ("since", "now")),
        *(("until", "2026-01-01T00:00:00"), ("until", "0.5"), ("search", "x" * 201)),
        *(("conversation_id", "x"), ("status", "\x00"), ("search", "\x00")),
        *(("phone_number", "Ada"), ("phone_number", "1234"), ("phone_number", "\x00@x")),
    ],
)
async def test_a_value_that_cant_be_read_is_named(scene: Scene, name: str, value: object) -> None:
    answer = await scene.as_acme("GET", "/api/v1/messages", params={name: value})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", name]


async def test_a_cursor_that_is_too_long_is_so_many_characters(scene: Scene) -> None:
    answer = await scene.as_acme("GET", "/api/v1/messages", params={"cursor": "x" * 513})
    assert answer.json()["detail"][0]["msg"] == "String should have at most 512 characters"


@pytest.mark.parametrize("zone", ["+00:00", "+0530"])
async def test_a_plus_that_became_a_space_is_told(scene: Scene, zone: str) -> None:
    answer = await scene.as_acme("GET", f"/api/v1/messages?since=2026-03-01T09:00:00{zone}")
    assert answer.status_code == 422
    assert "%2B" in answer.json()["detail"][0]["msg"]
    encoded = zone.replace("+", "%2B")
    answer = await scene.as_acme("GET", f"/api/v1/messages?since=2026-03-01T09:00:00{encoded}")
    assert answer.status_code == 200


async def test_a_history_says_what_happened_and_what_it_means(scene: Scene) -> None:
    message_id = await send(scene, "Hello")
    history = (await scene.as_acme("GET", f"/api/v1/messages/{message_id}/history")).json()
    assert history["message"]["id"] == message_id
    [step] = history["steps"]
    assert (step["status"], step["reason"]) == ("queued", None)
    assert history["network_attempts"] == {"failed": 0, "last_error": None, "next_attempt_at": None}
    assert "waits for its account" in history["explanation"][0]
    assert (history["events"], history["deliveries"]) == ([], [])


async def test_a_history_shows_no_deliveries_without_their_scope(scene: Scene) -> None:
    message_id = await send(scene, "Hello")
    key = await scene.mint(scene.acme, scopes=["messages:read"])
    answer = await scene.with_key(key, "GET", f"/api/v1/messages/{message_id}/history")
    history = answer.json()
    assert history["deliveries"] is None
    assert history["explanation"][0] == "The message waits to be sent."
