"""An id or a word that nobody has matches nothing, in each list and under each name; an id that
another organization has is refused."""

from typing import Any
from uuid import uuid4

import pytest

from api_scene import Scene
from api_scene import scene as scene
from inbox_rows import insert_contact, insert_conversation

UNKNOWN = {
    "messages": ("conversation_id", "chat_account_id", "contact_id", "batch_id"),
    "conversations": ("chat_account_id", "contact_id", "label_id", "assignee_user_id"),
    "contacts": ("label_id",),
    "media": ("chat_account_id",),
}
WORDS = {
    "messages": ("direction", "status", "message_type"),
    "conversations": ("status",),
    "devices": ("status",),
    "webhooks/subscriptions/{webhook}/deliveries": ("status",),
}


async def get(scene: Scene, path: str, **query: object) -> Any:
    return await scene.as_acme("GET", f"/api/v1/{path}", params=query)


def entries_of(page: dict[str, Any]) -> list[Any]:
    [entries] = [value for value in page.values() if isinstance(value, list)]
    return entries


@pytest.mark.parametrize(("path", "name"), [(p, n) for p, names in UNKNOWN.items() for n in names])
async def test_an_id_that_nobody_has_matches_nothing(scene: Scene, path: str, name: str) -> None:
    contact_id = await insert_contact(scene, "+15550100001", "Ana")
    await insert_conversation(scene, "15550100001@sandbox", 1, contact_id=contact_id)
    answer = await get(scene, path, **{name: uuid4()})
    assert answer.status_code == 200, answer.text
    assert entries_of(answer.json()) == []
    assert answer.json()["next_cursor"] is None


@pytest.mark.parametrize(("path", "name"), [(p, n) for p, names in WORDS.items() for n in names])
async def test_a_word_that_nobody_has_matches_nothing(scene: Scene, path: str, name: str) -> None:
    await insert_conversation(scene, "15550100001@sandbox", 1)
    made = await scene.as_acme(
        "POST",
        "/api/v1/webhooks/subscriptions",
        json={"url": "https://example.com/hook", "events": ["*"]},
    )
    path = path.replace("{webhook}", str(made.json().get("id")))
    answer = await get(scene, path, **{name: "unheard-of"})
    assert answer.status_code == 200, answer.text
    assert entries_of(answer.json()) == []


async def test_an_id_that_another_organization_has_is_refused(scene: Scene) -> None:
    contact_id = await insert_contact(scene, "+15550100001", of=scene.globex)
    made = await scene.as_globex("POST", "/api/v1/labels", json={"name": "VIP"})
    label_id, account_id = made.json()["id"], scene.globex.account.id
    for path, query in (
        ("messages", {"contact_id": contact_id}),
        ("messages", {"chat_account_id": account_id}),
        ("conversations", {"contact_id": contact_id}),
        ("conversations", {"chat_account_id": account_id}),
        ("conversations", {"label_id": label_id}),
        ("contacts", {"label_id": label_id}),
        ("media", {"chat_account_id": account_id}),
        ("events", {"chat_account_id": account_id}),
    ):
        answer = await get(scene, path, **query)
        assert (answer.status_code, answer.json()["code"]) == (403, "other_organization"), path
