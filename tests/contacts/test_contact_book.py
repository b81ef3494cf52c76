"""Contacts over the API: found by parts of their names and numbers, named, and given attributes."""

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from api_scene import SYNC, Scene
from api_scene import scene as scene
from each_case import for_each
from heliograph.core.contacts import book
from heliograph.core.contacts.model import ContactChange, ContactFilter
from heliograph.core.contacts.resolve import ObservedPerson, ResolvedContacts, resolve_contacts
from heliograph.core.events.payload_sql import unpack
from heliograph.errors import AccountNotAllowedError
from heliograph.platform.database.pool import Connection
from inbox_rows import insert_contact, insert_conversation

CONTACTS = "/api/v1/contacts"
ANA, LID = "15550100001@sandbox", "77@lid"


async def find(scene: Scene, query: str = "") -> list[str | None]:
    """The names on all pages, each of two at most."""
    names, cursor = [], ""
    while True:
        page = (await scene.as_acme("GET", f"{CONTACTS}?limit=2&{query}{cursor}")).json()
        names += [contact["display_name"] for contact in page["contacts"]]
        if page["next_cursor"] is None:
            return names
        cursor = f"&cursor={page['next_cursor']}"


async def change(scene: Scene, contact_id: UUID, **values: object) -> Any:
    return await scene.as_acme("PATCH", f"{CONTACTS}/{contact_id}", json=values)


async def read(scene: Scene, contact_id: UUID) -> Any:
    return (await scene.as_acme("GET", f"{CONTACTS}/{contact_id}")).json()


async def observe(scene: Scene, *people: tuple[str, str | None, str | None]) -> ResolvedContacts:
    """A network reports people: each by JID, number and name."""
    tenant = scene.acme.organization.tenant
    seen = [ObservedPerson(tenant, "sandbox", *person) for person in people]

    async def work(connection: Connection) -> ResolvedContacts:
        return await resolve_contacts(connection, tenant.shard, seen, scene.database.clock)

    return await scene.database.transact(work)


async def insert_some(scene: Scene) -> None:
    await insert_contact(scene, "+15550100001", "Ana Silva", "ana")
    await insert_contact(scene, "+15550100002", None, "Élodie")
    await insert_contact(scene, "+4930123456", "Bob Silvester")
    await insert_contact(scene, None, "Al")
    await insert_contact(scene, "+15550100009", "Silva of Globex", of=scene.globex)


@pytest.mark.parametrize("most_found", [book.MAX_FOUND, 0], ids=["by the index", "one by one"])
async def test_a_search_finds_parts_of_names_and_numbers(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, most_found: int
) -> None:
    monkeypatch.setattr(book, "MAX_FOUND", most_found)
    monkeypatch.setattr(book, "MAX_SCANNED", 3)
    await insert_some(scene)
    for query, expected in (
        ("", ["Al", "Bob Silvester", "Élodie", "Ana Silva"]),
        ("search=SILV", ["Bob Silvester", "Ana Silva"]),
        ("search=élo", ["Élodie"]),
        ("search=a  s", ["Ana Silva"]),
        ("search=al", ["Al"]),
        ("search=(555)+010", ["Élodie", "Ana Silva"]),
        ("search=%2B49 30/12", ["Bob Silvester"]),
        ("search=0100009", []),
        ("search=%25", []),
        ("phone_number=%2B1 (555) 010-0001", ["Ana Silva"]),
        ("phone_number=15550100009", []),
        ("phone_number=15550100001&search=bob", []),
    ):
        assert await find(scene, query) == expected, query


async def test_contacts_are_found_by_their_label(scene: Scene) -> None:
    ids = [await insert_contact(scene, None, f"Person {n}") for n in range(5)]
    label = (await scene.as_acme("POST", "/api/v1/labels", json={"name": "VIP"})).json()
    for contact_id in ids[1:4]:
        assert (await change(scene, contact_id, label_ids=[label["id"]])).json()["labels"] == [
            label
        ]
    assert await find(scene, f"label_id={label['id']}") == ["Person 3", "Person 2", "Person 1"]
    assert await find(scene, f"label_id={label['id']}&search=son 2") == ["Person 2"]
    await change(scene, ids[1], label_ids=[])
    assert (await scene.as_acme("DELETE", f"/api/v1/labels/{label['id']}")).status_code == 204
    assert (await read(scene, ids[2]))["labels"] == []


async def test_what_is_given_is_changed_and_told_of(scene: Scene) -> None:
    ana = await insert_contact(scene, "+15550100001", "Ana", "ana")
    attributes = {"number": 4711, "score": 1.5, "vip": True, "since": None, "town": "Köln"}
    record = (await change(scene, ana, name="  Ana   Silva ", attributes=attributes)).json()
    assert (record["name"], record["attributes"]) == ("Ana Silva", attributes)
    assert await read(scene, ana) == record
    assert (await change(scene, ana, attributes={})).json()["name"] == "Ana Silva"
    assert (await change(scene, ana)).json()["attributes"] == {}
    assert (await change(scene, ana, name=None)).json()["display_name"] == "ana"
    rows = await scene.database.pool.fetch(
        "SELECT payload FROM events WHERE type = 'contact.updated' ORDER BY seq"
    )
    told = [json.loads(unpack(row["payload"]))["data"]["changed"] for row in rows]
    assert told == [
        ["name", "display_name", "attributes"],
        ["attributes"],
        ["name", "display_name"],
    ]


@for_each(
    "values",
    [
        {"nam": "x"},
        {"name": ""},
        {"name": "  "},
        {"name": "\u3164"},
        {"name": "a\x1b[8m"},
        {"attributes": {"\u200b": 1}},
        {"attributes": {"a\nb": 1}},
        {"name": "x" * 256},
        {"attributes": None},
        {"attributes": {"a": "x" * 501}},
        {"attributes": {"x" * 41: 1}},
        {"attributes": {"": 1}},
        {"attributes": {"a": [1]}},
        {"attributes": {"a": {"b": 1}}},
        {"attributes": {"a": 2**53 + 1}},
        {"attributes": {f"a{n}": n for n in range(51)}},
        {"label_ids": ["x"]},
    ],
)
async def test_values_out_of_bounds_change_nothing(scene: Scene, values: dict[str, object]) -> None:
    ana = await insert_contact(scene, None, "Ana")
    before = await read(scene, ana)
    assert (await change(scene, ana, **values)).status_code == 422
    assert await read(scene, ana) == before


async def test_a_name_of_ones_own_outlives_the_address_book(scene: Scene) -> None:
    [ana] = (await observe(scene, (ANA, "+15550100001", "Ana"))).contacts.values()
    await change(scene, ana.id, name="Ana Silva")
    assert (await observe(scene, (ANA, None, "Mum"))).updated == ()
    assert (await read(scene, ana.id))["name"] == "Ana Silva"
    await change(scene, ana.id, name=None)
    [(before, after)] = (await observe(scene, (ANA, None, "Mum"))).updated
    assert (before.name, after.name) == (None, "Mum")


async def test_the_id_of_a_merged_contact_leads_to_the_one_that_was_kept(scene: Scene) -> None:
    [ana] = (await observe(scene, (ANA, "+15550100001", None))).contacts.values()
    [hidden] = (await observe(scene, (LID, None, None))).contacts.values()
    labels = [
        (await scene.as_acme("POST", "/api/v1/labels", json={"name": name})).json()["id"]
        for name in ("VIP", "Late")
    ]
    await change(scene, ana.id, attributes={"a": 1, "b": 1}, label_ids=labels[:1])
    await change(scene, hidden.id, name="Ana", attributes={"b": 2, "c": 2}, label_ids=labels)
    resolved = await observe(scene, (LID, "+15550100001", None))
    assert [after.id for _, after in resolved.updated] == [ana.id]
    kept = await read(scene, hidden.id)
    assert (kept["id"], kept["name"]) == (str(ana.id), "Ana")
    assert kept["attributes"] == {"a": 1, "b": 1, "c": 2}
    assert [label["name"] for label in kept["labels"]] == ["Late", "VIP"]
    assert [address["jid"] for address in kept["addresses"]] == [ANA, LID]
    assert (await change(scene, hidden.id, name="Ana S.")).json()["id"] == str(ana.id)
    assert await find(scene) == ["Ana S."]


async def test_who_may_use_some_accounts_sees_whom_they_talk_to(scene: Scene) -> None:
    services, principal = scene.services, scene.acme.principal
    second = await services.accounts.create(principal, "sandbox", "Second", "second", {})
    ours, theirs = [await insert_contact(scene, None, f"Ana {n}") for n in range(2)]
    await insert_conversation(scene, "1@x", contact_id=ours, account_id=second.id)
    await insert_conversation(scene, "2@x", contact_id=theirs)
    limited = replace(principal, account_ids=frozenset({second.id}))
    for only in (ContactFilter(), ContactFilter(text="Ana"), ContactFilter(text="a")):
        page = await services.contact_book.list(limited, only)
        assert [record["id"] for record in page.records] == [ours]
    assert (await services.contact_book.get(limited, ours))["name"] == "Ana 0"
    for refused in (
        services.contact_book.get(limited, theirs),
        services.contact_book.change(limited, theirs, ContactChange(name="x")),
    ):
        with pytest.raises(AccountNotAllowedError):
            await refused


async def test_how_far_a_synchronization_is_can_be_read(scene: Scene) -> None:
    await scene.set_connected(scene.acme.account)
    account = {"chat_account_id": str(scene.acme.account.id)}
    job_id = (await scene.as_acme("POST", SYNC, json=account)).json()["job_id"]
    found = (await scene.as_acme("GET", f"{SYNC}/{job_id}")).json()
    assert (found["status"], found["contacts"], found["finished_at"]) == ("pending", None, None)
    await scene.database.pool.execute(
        "UPDATE jobs SET status = 'failed', error = $1, finished_at = now()",
        '{"reason": "The phone is off."}',
    )
    found = (await scene.as_acme("GET", f"{SYNC}/{job_id}")).json()
    assert (found["status"], found["error"]) == ("failed", "The phone is off.")
    missing = await scene.as_acme("GET", f"{SYNC}/{UUID(int=7)}")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    elsewhere = replace(scene.acme.principal, account_ids=frozenset())
    with pytest.raises(AccountNotAllowedError):
        await scene.services.contacts.sync_state(elsewhere, UUID(job_id))


async def test_sync_is_no_contact(scene: Scene) -> None:
    for method in ("GET", "PATCH"):
        refused = await scene.as_acme(method, SYNC)
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
