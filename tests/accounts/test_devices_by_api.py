"""Devices over the public API: connected, paired, changed, removed; and by whom."""

import asyncio
import json
import struct
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from api_scene import BUTTONS, DEVICES, Scene, buttons, code
from api_scene import scene as scene
from each_case import for_each
from heliograph.core.accounts.form import make_session_name
from heliograph.core.accounts.model import Restriction, pairing_document
from heliograph.core.messages.queue.holds_sql import hold_new_conversations
from heliograph.faces.api.schemas.devices import ChangeDevice, DeviceDetails
from heliograph.networks.port import PairingStep
from waiting import until

BLOCKED = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""

OF_ONE_DEVICE: list[tuple[str, str, object]] = [
    ("GET", "", None),
    ("PATCH", "", {"name": "x"}),
    ("DELETE", "", None),
    ("GET", "/pairing", None),
    ("POST", "/pairing", {"method": "qr"}),
    ("POST", "/reconnect", None),
    ("POST", "/log-out", None),
]


async def create(scene: Scene, **body: object) -> dict[str, Any]:
    response = await scene.as_acme(
        "POST", DEVICES, json={"network": "sandbox", "name": "Second phone"} | body
    )
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def device(scene: Scene) -> str:
    return f"{DEVICES}/{scene.acme.account.id}"


async def show(scene: Scene, step: PairingStep | None, status: str = "pairing") -> None:
    """Let Acme's device be in this state, as its session would report it."""
    await scene.database.pool.execute(
        "UPDATE accounts SET pairing = $2::jsonb, status = $3 WHERE id = $1",
        scene.acme.account.id,
        None if step is None else encode(step),
        status,
    )


def encode(step: PairingStep) -> str:
    return json.dumps(pairing_document(step), default=str)


async def test_networks_are_listed_as_data(scene: Scene) -> None:
    listed = (await scene.as_acme("GET", "/api/v1/networks")).json()["networks"]
    by_name = {network["name"]: network for network in listed}
    assert by_name["sandbox"]["capabilities"]["pairing_methods"] == ["qr", "code"]
    assert by_name["xmpp"]["capabilities"]["pairing_methods"] == []
    form = {field["name"]: field for field in by_name["xmpp"]["form"]}
    assert form["password"]["secret"]
    assert form["jid"]["required"]


async def test_all_that_a_network_can_do_is_data(scene: Scene) -> None:
    listed = (await scene.as_acme("GET", "/api/v1/networks")).json()["networks"]
    by_name = {network["name"]: network for network in listed}
    for network in scene.services.accounts.list_networks():
        shown = by_name[network.name]["capabilities"] | by_name[network.name]["limits"]
        known = msgspec.to_builtins(network.capabilities)
        assert bool(shown.pop("pairing_methods")) is known.pop("pairing")
        lists = {name: sorted(known[name]) for name in ("content", "changes")}
        assert shown == known | lists
    sandbox, xmpp = by_name["sandbox"], by_name["xmpp"]
    assert sandbox["capabilities"]["changes"] == ["deleted", "edited", "reaction"]
    assert (sandbox["limits"]["edit_seconds"], xmpp["limits"]["edit_seconds"]) == (15 * 60, None)
    assert (sandbox["capabilities"]["number_checks"], xmpp["capabilities"]["number_checks"]) == (
        True,
        False,
    )


async def test_a_device_is_connected_and_shows_no_secret(scene: Scene) -> None:
    settings = {"jid": "desk@chat.example", "password": "canary-4711"}
    made = await create(scene, network="xmpp", settings=settings)
    assert (made["status"], made["network"], made["session_name"]) == (
        "pairing",
        "xmpp",
        "second-phone",
    )
    assert (made["queued_messages"], made["restriction"]) == (0, None)
    read = await scene.as_acme("GET", f"{DEVICES}/{made['id']}")
    assert read.json() == made
    assert made["settings"]["jid"] == "desk@chat.example"
    assert "password" not in made["settings"]
    assert "canary" not in str(made)


@for_each(
    ("change", "loc"),
    [
        ({"settings": {}}, ["body", "settings", "jid"]),
        ({"settings": {"jid": "a@b.example", "pasword": "x"}}, ["body", "settings", "pasword"]),
        ({"network": "carrier-pigeon"}, ["body", "network"]),
        ({"session_name": "acme"}, ["body", "session_name"]),
        ({"name": " "}, ["body", "name"]),
        ({"title": "x"}, ["body", "title"]),
    ],
)
async def test_a_wrong_device_is_refused_by_the_value_that_is_to_blame(
    scene: Scene, change: dict[str, object], loc: list[str]
) -> None:
    body = {
        "network": "xmpp",
        "name": "x",
        "settings": {"jid": "a@b.example", "password": "canary-4711"},
    } | change
    refused = await scene.as_acme("POST", DEVICES, json=body)
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == loc
    assert "canary" not in refused.text
    assert (await scene.as_acme("GET", DEVICES)).json()["total"] == 1


async def test_a_change_leaves_alone_what_it_does_not_name(scene: Scene) -> None:
    before = (await scene.as_acme("GET", device(scene))).json()
    body = {"name": "Desk", "send_rate": 7, "settings": {"contacts": "3"}}
    changed = (await scene.as_acme("PATCH", device(scene), json=body)).json()
    assert changed == before | {
        "name": "Desk",
        "send_rate": 7,
        "settings": before["settings"] | {"contacts": "3"},
        "updated_at": changed["updated_at"],
    }
    assert changed == (await scene.as_acme("GET", device(scene))).json()
    assert changed["settings"]["read_delay"] == "1.0"
    cleared = await scene.as_acme("PATCH", device(scene), json={"send_rate": None})
    assert cleared.json()["send_rate"] is None


def test_an_answer_shows_all_that_a_change_takes() -> None:
    assert ChangeDevice.model_fields.keys() <= DeviceDetails.model_fields.keys()


async def test_a_new_primary_device_takes_the_place_of_the_old(scene: Scene) -> None:
    second = await create(scene)
    assert not second["is_primary"]
    path = f"{DEVICES}/{second['id']}"
    assert (await scene.as_acme("PATCH", path, json={"is_primary": True})).json()["is_primary"]
    listed = (await scene.as_acme("GET", DEVICES)).json()["devices"]
    assert [found["is_primary"] for found in listed] == [True, False]
    refused = await scene.as_acme("PATCH", path, json={"is_primary": False})
    assert refused.json()["detail"][0]["loc"] == ["body", "is_primary"]


async def test_the_primary_device_stays_one_though_it_became_that_meanwhile(scene: Scene) -> None:
    second = await create(scene)
    path = f"{DEVICES}/{second['id']}"
    async with scene.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("UPDATE accounts SET is_primary = false WHERE is_primary")
        await connection.execute(
            "UPDATE accounts SET is_primary = true WHERE id = $1", second["id"]
        )
        waiting = asyncio.create_task(scene.as_acme("PATCH", path, json={"is_primary": False}))
        await until(lambda: scene.database.pool.fetchval(BLOCKED))
    assert (await waiting).json()["detail"][0]["loc"] == ["body", "is_primary"]
    assert (await scene.as_acme("GET", path)).json()["is_primary"]


async def test_a_password_that_is_given_again_changes_nothing(scene: Scene) -> None:
    settings = {"jid": "desk@chat.example", "password": "canary-4711"}
    made = await create(scene, network="xmpp", settings=settings)
    path = f"{DEVICES}/{made['id']}"
    assert (await scene.as_acme("PATCH", path, json={"settings": settings})).json() == made
    other = {"settings": settings | {"password": "canary-4712"}}
    assert (await scene.as_acme("PATCH", path, json=other)).json()["updated_at"] > made[
        "updated_at"
    ]


@pytest.mark.parametrize("body", [{"name": None}, {"settings": {"contacts": "many"}}, {"x": 1}])
async def test_a_wrong_change_changes_nothing(scene: Scene, body: dict[str, object]) -> None:
    before = (await scene.as_acme("GET", device(scene))).json()
    assert (await scene.as_acme("PATCH", device(scene), json=body)).status_code == 422
    assert (await scene.as_acme("GET", device(scene))).json() == before


async def test_the_qr_code_is_a_picture_with_a_quiet_zone(scene: Scene) -> None:
    headers = {"Accept": "image/png"}
    nothing = await scene.as_acme("GET", f"{device(scene)}/pairing", headers=headers)
    assert code(nothing) == (409, "no_qr_code")
    await show(scene, PairingStep("qr", "sandbox:payload"))
    picture = await scene.as_acme("GET", f"{device(scene)}/pairing", headers=headers)
    assert picture.headers["content-type"] == "image/png"
    width, height = struct.unpack(">II", picture.content[16:24])
    assert width == height
    assert (width / 8 - 8 - 17) % 4 == 0, "8 pixels a module, 4 modules around it"
    refused = {"Accept": "image/png;q=0, application/json"}
    shown = (await scene.as_acme("GET", f"{device(scene)}/pairing", headers=refused)).json()
    assert (shown["kind"], shown["payload"]) == ("qr", "sandbox:payload")
    await show(scene, PairingStep("code", "ABCD-EFGH"))
    nothing = await scene.as_acme("GET", f"{device(scene)}/pairing", headers=headers)
    assert code(nothing) == (409, "no_qr_code")


async def test_a_device_is_paired_by_the_method_that_is_asked_for(scene: Scene) -> None:
    path = f"{device(scene)}/pairing"
    body = {"method": "code", "phone_number": "+55 11 98888-7777"}
    started = await scene.as_acme("POST", path, json=body)
    assert (started.status_code, started.json()["status"]) == (202, "pairing")
    account = await scene.services.accounts.get(scene.acme.principal, scene.acme.account.id)
    assert account.settings["phone_number"] == "+5511988887777"
    assert (await scene.as_acme("POST", path, json={"method": "qr"})).status_code == 202
    account = await scene.services.accounts.get(scene.acme.principal, scene.acme.account.id)
    assert "phone_number" not in account.settings
    for wrong in ({"method": "code"}, {"method": "code", "phone_number": "12345x"}):
        refused = await scene.as_acme("POST", path, json=wrong)
        assert refused.json()["detail"][0]["loc"] == ["body", "phone_number"]


async def test_a_device_that_is_paired_anew_has_no_restrictions_behind_it(scene: Scene) -> None:
    await scene.as_acme("POST", BUTTONS, json=buttons())
    account, now = scene.acme.account, scene.database.clock.now()
    restriction = Restriction("new_conversations", now + timedelta(days=1), "Wait.")
    held = (account.tenant, account.id, restriction, account.network, now)
    assert await scene.database.transact(hold_new_conversations, *held) == 1
    await scene.database.pool.execute(
        "UPDATE accounts SET restriction_kind = 'new_conversations', restriction_until = $2,"
        " restriction_reason = 'Wait.', restrictions_in_a_row = 3 WHERE id = $1",
        account.id,
        restriction.until,
    )
    assert (await scene.as_acme("GET", device(scene))).json()["held_messages"] == 1
    path = f"{device(scene)}/pairing"
    assert (await scene.as_acme("POST", path, json={"method": "qr"})).status_code == 202
    account = await scene.services.accounts.get(scene.acme.principal, account.id)
    assert (account.restriction, account.restrictions_in_a_row) == (None, 0)
    released = "SELECT bool_and(next_attempt_at IS NULL) FROM message_queue"
    assert await scene.database.pool.fetchval(released)


XMPP_SETTINGS = {"jid": "desk@chat.example", "password": "x"}


@for_each(
    ("network", "setting", "wrong"),
    [
        *(("sandbox", "contacts", wrong) for wrong in ("99999", "-3", "2.5", "1e3")),
        *(("sandbox", "delivered_delay", wrong) for wrong in ("-1", "NaN", "inf", "1e9")),
        ("sandbox", "read_delay", "86400.5"),
        ("sandbox", "pair_automatically", "yes"),
        *(("sandbox", "phone_number", wrong) for wrong in ("abc", "020 7946 0958")),
        *(("xmpp", "port", wrong) for wrong in ("NaN", "-1", "0", "99999999", "1.5", "inf")),
        *(("xmpp", "jid", wrong) for wrong in ("desk", "a@", "a b@c.example", "a\u00a0@c.example")),
        *(("xmpp", "host", wrong) for wrong in ("chat.example:5222", "https://x", "a..b", " ")),
        *(("xmpp", "phone_numbers", wrong) for wrong in ("{number}@x", "tel:{digits}@x", "a b")),
        *(("xmpp", "group_service", wrong) for wrong in ("rooms@chat.example", "xmpp:rooms")),
        ("xmpp", "ca", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
        ("xmpp", "password", "canary\x07"),
        ("whatsapp", "phone_number", "12"),
    ],
)
async def test_what_its_network_would_refuse_is_refused_before_it_is_stored(
    scene: Scene, network: str, setting: str, wrong: str
) -> None:
    needed = XMPP_SETTINGS if network == "xmpp" else {}
    made = await create(scene, network=network, name="Old", settings=needed)
    change = await scene.as_acme(
        "PATCH", f"{DEVICES}/{made['id']}", json={"settings": {setting: wrong}}
    )
    body = {"name": "New", "network": network, "settings": needed | {setting: wrong}}
    for refused in (change, await scene.as_acme("POST", DEVICES, json=body)):
        assert refused.status_code == 422, refused.text
        [problem] = refused.json()["detail"]
        assert problem["loc"] == ["body", "settings", setting]
        assert "canary" not in refused.text
    kept = (await scene.as_acme("GET", f"{DEVICES}/{made['id']}")).json()
    assert kept["settings"] == made["settings"]


async def test_a_bad_value_of_old_is_shown_and_blocks_no_other_change(scene: Scene) -> None:
    bad = {"contacts": "99999", "read_delay": "NaN", "gone": "1"}
    await scene.database.pool.execute(
        "UPDATE accounts SET settings = $2 WHERE id = $1", scene.acme.account.id, json.dumps(bad)
    )
    assert (await scene.as_acme("GET", device(scene))).json()["settings"] == bad
    changed = await scene.as_acme(
        "PATCH", device(scene), json={"settings": {"delivered_delay": "2"}}
    )
    assert changed.json()["settings"] == bad | {"delivered_delay": "2"}
    mended = await scene.as_acme("PATCH", device(scene), json={"settings": {"contacts": "7"}})
    assert mended.json()["settings"]["contacts"] == "7"


async def test_a_network_without_pairing_says_so(scene: Scene) -> None:
    made = await create(
        scene, network="xmpp", settings={"jid": "desk@chat.example", "password": "x"}
    )
    path = f"{DEVICES}/{made['id']}/pairing"
    refused = await scene.as_acme("POST", path, json={"method": "qr"})
    assert code(refused) == (409, "not_supported_by_network")


async def test_a_registered_device_is_neither_paired_nor_removed(scene: Scene) -> None:
    await scene.set_connected(scene.acme.account)
    await scene.database.pool.execute("UPDATE accounts SET remote_jid = '1@sandbox'")
    pairing = await scene.as_acme("POST", f"{device(scene)}/pairing", json={"method": "qr"})
    assert code(pairing) == (409, "chat_account_connected")
    assert code(await scene.as_acme("DELETE", device(scene))) == (409, "chat_account_connected")
    await show(scene, None, "logged_out")
    again = await scene.as_acme("POST", f"{device(scene)}/pairing", json={"method": "qr"})
    assert again.json()["status"] == "pairing"
    removed = await scene.as_acme("DELETE", device(scene))
    assert (removed.status_code, removed.content) == (204, b"")
    assert code(await scene.as_acme("GET", device(scene))) == (404, "chat_account_not_found")


async def test_a_limited_key_sees_and_does_only_what_its_devices_have(scene: Scene) -> None:
    second = await create(scene)
    body = {"name": "limited", "chat_account_ids": [second["id"]]}
    key = (await scene.as_acme("POST", "/api/v1/api-keys", json=body)).json()["api_key"]
    for query in ("", "?search=s", "?sort_by=name"):
        listed = (await scene.with_key(key, "GET", f"{DEVICES}{query}")).json()
        assert ([found["id"] for found in listed["devices"]], listed["total"]) == (
            [second["id"]],
            1,
        )
    for method, path, sent in OF_ONE_DEVICE:
        refused = await scene.with_key(key, method, device(scene) + path, json=sent)
        assert code(refused) == (403, "account_not_allowed"), (method, path)
    refused = await scene.with_key(key, "POST", DEVICES, json={"network": "sandbox", "name": "x"})
    assert code(refused) == (403, "account_not_allowed")
    for account_id, status in ((str(scene.acme.account.id), 403), (second["id"], 200)):
        send = buttons(chat_account_id=account_id)
        assert (await scene.with_key(key, "POST", BUTTONS, json=send)).status_code == status
    await scene.database.pool.execute("DELETE FROM accounts WHERE id = $1", second["id"])
    listed = (await scene.with_key(key, "GET", DEVICES)).json()
    assert (listed["devices"], listed["total"]) == ([], 0)


async def test_what_waits_is_counted_for_one_device(scene: Scene) -> None:
    for _ in range(3):
        await scene.as_acme("POST", BUTTONS, json=buttons())
    found = (await scene.as_acme("GET", device(scene))).json()
    assert (found["queued_messages"], found["held_messages"]) == (3, 0)
    await create(scene)
    for params in ({}, {"sort_by": "name"}):
        listed = (await scene.as_acme("GET", DEVICES, params=params)).json()["devices"]
        waiting = {each["id"]: each["queued_messages"] for each in listed}
        assert sorted(waiting.values()) == [0, 3]
        assert found in listed


async def test_devices_of_one_name_get_session_names_of_their_own(scene: Scene) -> None:
    body = {"network": "sandbox", "name": "Front desk"}
    made = [await scene.as_acme("POST", DEVICES, json=body) for _ in range(2)]
    made += await asyncio.gather(*[scene.as_acme("POST", DEVICES, json=body) for _ in range(3)])
    assert [answer.status_code for answer in made] == [201] * 5
    names = [answer.json()["session_name"] for answer in made]
    assert names[:2] == ["front-desk", "front-desk-2"]
    assert sorted(names) == ["front-desk", *(f"front-desk-{n}" for n in range(2, 6))]
    named = body | {"session_name": "front-desk"}
    refused = await scene.as_acme("POST", DEVICES, json=named)
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "session_name"]
    entries = await scene.database.pool.fetch(
        "SELECT details FROM audit_entries WHERE action = 'account_created' ORDER BY seq"
    )
    told = {json.loads(row["details"])["session_name"] for row in entries}
    assert told >= set(names)


def test_a_long_name_leaves_room_for_a_number() -> None:
    taken = {made := make_session_name("x" * 100)}
    assert len(made) == 100
    assert len(make_session_name("x" * 100, taken)) <= 100
