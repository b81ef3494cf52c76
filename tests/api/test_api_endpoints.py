"""What the endpoints answer when all is well, and when something of ours is not."""

import asyncio
from datetime import date, timedelta
from importlib.metadata import EntryPoint
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from starlette.types import Message

from api_scene import (
    BUTTONS,
    DEVICES,
    EVENTS,
    GROUPS,
    JOIN,
    STATS,
    SYNC,
    Customer,
    Scene,
    buttons,
    group_of,
)
from heliograph.networks.registry import GROUP
from inbox_rows import insert_contact, insert_conversation

NOBODY = "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"
"""The id of nothing there is."""

# --- sending and reading ---------------------------------------------------------------------


async def test_a_message_is_accepted_and_can_be_read(scene: Scene) -> None:
    sent = await scene.as_acme("POST", BUTTONS, json=buttons(footer="Lume"))
    result = sent.json()
    assert sent.status_code == 200
    assert result["success"] is True
    assert result["status"] == "queued"
    assert result["run_id"].startswith("run_")
    assert UUID(result["message_id"]).version == 7
    message = (await scene.as_acme("GET", f"/api/v1/messages/{result['message_id']}")).json()
    assert message["phone_number"] == "+5511999990000"
    assert message["content"] == "Is 20:00 right?"
    assert (message["status"], message["direction"]) == ("queued", "outbound")
    assert (message["message_type"], message["chat_type"]) == ("buttons", "individual")
    assert message["chat_account_id"] == str(scene.acme.account.id)
    assert message["queued_at"].endswith("Z")


GOOD_CHANGES: list[dict[str, object]] = [
    {"phone_number": "+55 (11) 99999-0000"},
    {"phone_number": "12345"},
    {"body": "x" * 1024},
    {"footer": "x" * 60},
    {"footer": None},
    {"buttons": [{"id": "x" * 256, "title": "x" * 20}]},
    {"buttons": [{"id": str(n), "title": f"T{n}", "more": 1} for n in range(3)]},
    {"chat_account_id": None, "unknown": {"a": [1.5]}},
    {"body": "😀 \u2028 é"},
]


async def test_bounds_of_a_message_are_included(scene: Scene) -> None:
    for changes in GOOD_CHANGES:
        response = await scene.as_acme("POST", BUTTONS, json=buttons(**changes))
        assert response.status_code == 200, changes


BAD_CHANGES: list[tuple[dict[str, object], list[object]]] = [
    ({"phone_number": "1234"}, ["phone_number"]),
    ({"phone_number": "call me"}, ["phone_number"]),
    ({"phone_number": "1" * 16}, ["phone_number"]),
    ({"phone_number": "+1" + " " * 41 + "23456789"}, ["phone_number"]),
    ({"phone_number": 5511999990000}, ["phone_number"]),
    ({"body": ""}, ["body"]),
    ({"body": "x" * 1025}, ["body"]),
    ({"footer": "x" * 61}, ["footer"]),
    ({"buttons": []}, ["buttons"]),
    ({"buttons": [{"id": str(n), "title": f"T{n}"} for n in range(4)]}, ["buttons"]),
    ({"buttons": [{"id": "", "title": "A"}]}, ["buttons", 0, "id"]),
    ({"buttons": [{"id": " a", "title": "A"}]}, ["buttons", 0, "id"]),
    ({"buttons": [{"id": "a\t", "title": "A"}]}, ["buttons", 0, "id"]),
    ({"buttons": [{"id": "x" * 257, "title": "A"}]}, ["buttons", 0, "id"]),
    ({"buttons": [{"id": "a", "title": ""}]}, ["buttons", 0, "title"]),
    ({"buttons": [{"id": "a", "title": "x" * 21}]}, ["buttons", 0, "title"]),
    ({"buttons": [{"id": "a"}]}, ["buttons", 0, "title"]),
    ({"buttons": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}, []),
    ({"buttons": [{"id": "a", "title": "A"}, {"id": "b", "title": "A"}]}, []),
    ({"chat_account_id": "main"}, ["chat_account_id"]),
]


async def test_beyond_the_bounds_is_422_and_stores_nothing(scene: Scene) -> None:
    for changes, loc in BAD_CHANGES:
        response = await scene.as_acme("POST", BUTTONS, json=buttons(**changes))
        assert response.status_code == 422, changes
        assert response.json()["detail"][0]["loc"] == ["body", *loc]
    assert (await scene.count_rows())["messages"] == 0


async def test_without_any_account_there_is_nothing_to_send_with(scene: Scene) -> None:
    organization = await scene.services.organizations.create("Empty")
    empty = Customer(organization, "", scene.acme.account)
    key = await scene.mint(empty)
    response = await scene.with_key(key, "POST", BUTTONS, json=buttons())
    assert (response.status_code, response.json()["code"]) == (409, "no_chat_account")


# --- idempotency -----------------------------------------------------------------------------


async def test_the_validated_body_counts_not_its_spelling(scene: Scene) -> None:
    headers = {"Idempotency-Key": "order-1"}
    await scene.as_acme("POST", BUTTONS, json=buttons(), headers=headers)
    respelled = dict(reversed(buttons(footer=None, ignored=1).items()))
    again = await scene.as_acme("POST", BUTTONS, json=respelled, headers=headers)
    assert again.headers["idempotent-replayed"] == "true"


# --- the network ------------------------------------------------------------------------------


@pytest.mark.parametrize("network", ["pigeon", "broken"])
async def test_an_account_whose_driver_is_gone_is_503_and_stores_nothing(
    scene: Scene, network: str
) -> None:
    await scene.set_connected(scene.acme.account)
    await scene.database.pool.execute(
        "UPDATE accounts SET network = $3 WHERE shard = $1 AND organization_id = $2",
        *scene.acme.organization.tenant,
        network,
    )
    drivers = {"broken": EntryPoint("broken", "no_such_module:network", GROUP)}
    scene.services.networks._drivers.update(drivers)
    account = {"chat_account_id": str(scene.acme.account.id)}
    group = group_of(scene.acme.account)
    join = {"session_name": "acme", "invite_link": "https://chat.example/abc"}
    before = await scene.count_rows()
    for path, body in [(BUTTONS, buttons()), (SYNC, account), (GROUPS, group), (JOIN, join)]:
        response = await scene.as_acme("POST", path, json=body)
        assert (response.status_code, response.json()["code"]) == (503, "unavailable"), path
        assert "driver of the account's network" in response.json()["detail"]
    assert await scene.count_rows() == before


async def test_a_second_sync_returns_the_running_job(scene: Scene) -> None:
    await scene.set_connected(scene.acme.account)
    body = {"chat_account_id": str(scene.acme.account.id)}
    first, second = [await scene.as_acme("POST", SYNC, json=body) for _ in range(2)]
    assert first.json()["status"] == "pending"
    assert first.json()["job_id"] == second.json()["job_id"]


async def test_every_bad_participant_is_named(scene: Scene) -> None:
    people = ["+5511999990000", "nobody", "+5511999990001", "x"]
    body = group_of(scene.acme.account, participants=people)
    response = await scene.as_acme("POST", GROUPS, json=body)
    locs = [problem["loc"] for problem in response.json()["detail"]]
    assert locs == [["body", "participants", 1], ["body", "participants", 3]]


TOO_SHORT = {"participants": ["+1555", "12"]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (GROUPS, {"chat_account_id": NOBODY, "subject": "x", **TOO_SHORT}),
        (f"/api/v1/groups/{NOBODY}/participants", TOO_SHORT),
    ],
)
async def test_a_bad_participant_is_told_before_what_does_not_exist(
    scene: Scene, path: str, body: dict[str, object]
) -> None:
    response = await scene.as_acme("POST", path, json=body)
    assert response.status_code == 422
    problems = response.json()["detail"]
    assert [problem["input"] for problem in problems] == TOO_SHORT["participants"]
    for problem in problems:
        assert problem["type"] == "value_error"
        assert problem["msg"] == f"Value error, {problem['ctx']['reason']}"


# --- conversations ---------------------------------------------------------------------------


async def test_a_conversation_shows_its_contact_labels_and_picture(scene: Scene) -> None:
    contact = await insert_contact(scene, chat_name="Ana")
    conversation = await insert_conversation(scene, "1555@sandbox", unread=2, contact_id=contact)
    path = f"/api/v1/conversations/{conversation}"
    urgent = await scene.services.labels.create(scene.acme.principal, "urgent", "#ff0000")
    await scene.services.inbox.add_label(scene.acme.principal, conversation, urgent.id)
    bare = (await scene.as_acme("GET", path)).json()
    assert (bare["status"], bare["unread_count"], bare["is_group"]) == ("open", 2, False)
    assert (bare["contact_name"], bare["contact_chat_name"]) == (None, "Ana")
    assert bare["display_name"] == "Ana"
    assert bare["contact_profile_picture_url"] is None
    assert [label["name"] for label in bare["labels"]] == ["urgent"]
    await scene.database.pool.execute(
        "INSERT INTO contact_pictures "
        "VALUES ($1, $2, $3, $4, true, '1', 'a.jpg', 'image/jpeg', $5)",
        *scene.acme.organization.tenant,
        contact,
        scene.acme.account.id,
        scene.database.clock.now(),
    )
    shown = (await scene.as_acme("GET", path)).json()
    assert shown["contact_profile_picture_url"].startswith("http://test/media/a.jpg?")


# --- lists and counts ------------------------------------------------------------------------


async def add_devices(scene: Scene) -> None:
    for name, session in (("Beta", "s-b"), ("alpha", "s-a"), ("Gamma 100%", "s_c")):
        await scene.services.accounts.create(scene.acme.principal, "sandbox", name, session, {})


async def names(scene: Scene, query: str) -> list[str]:
    response = await scene.as_acme("GET", f"{DEVICES}?{query}")
    assert response.status_code == 200
    return [device["name"] for device in response.json()["devices"]]


async def test_devices_are_listed_newest_first(scene: Scene) -> None:
    await add_devices(scene)
    response = (await scene.as_acme("GET", DEVICES)).json()
    assert (response["total"], response["limit"], response["offset"]) == (4, 50, 0)
    assert [device["name"] for device in response["devices"]] == [
        "Gamma 100%",
        "alpha",
        "Beta",
        "Acme's phone",
    ]
    assert [device["is_primary"] for device in response["devices"]] == [False, False, False, True]


async def test_devices_are_paged_sorted_and_filtered(scene: Scene) -> None:
    await add_devices(scene)
    await scene.set_connected(scene.acme.account)
    oldest_first = await names(scene, "sort_by=created_at&sort_order=asc")
    assert (
        await names(scene, "sort_by=created_at&sort_order=asc&limit=2&offset=1")
        == (oldest_first[1:3])
    )
    assert await names(scene, "offset=9223372036854775807") == []
    assert await names(scene, "status=connected") == ["Acme's phone"]
    assert await names(scene, "status=unheard-of") == []
    assert await names(scene, "search=ALPH") == ["alpha"]
    assert await names(scene, "search=s_") == ["Gamma 100%"]
    assert await names(scene, "search=%25") == ["Gamma 100%"]
    for field in ("created_at", "updated_at", "name", "status", "last_connected_at"):
        up = await names(scene, f"sort_by={field}&sort_order=asc")
        down = await names(scene, f"sort_by={field}&sort_order=desc")
        assert sorted(up) == sorted(down)
        assert len(up) == 4


async def test_devices_are_found_by_a_number_however_it_is_typed(scene: Scene) -> None:
    await add_devices(scene)
    number = "UPDATE accounts SET phone_number = '+15550100042' WHERE name = 'Beta'"
    await scene.database.pool.execute(number)
    for typed in ("+1 555", "+1 (555) 010-00 42", "0100042", "1.555.010", "+1555 "):
        assert await names(scene, f"search={quote(typed)}") == ["Beta"], typed
    for typed in ("+1 556", "+555", "++"):
        assert await names(scene, f"search={quote(typed)}") == [], typed


async def test_devices_are_found_by_a_name_in_any_case_and_sorted_as_people_do(
    scene: Scene,
) -> None:
    for number, name in enumerate(("Ärzte 10", "ärzte 9", "ΑΣΤΗΡ", "zoe", "Straße")):
        await scene.services.accounts.create(
            scene.acme.principal, "sandbox", name, f"s{number}", {}
        )
    await add_devices(scene)
    assert await names(scene, f"search={quote('ÄRZ')}&sort_by=name&sort_order=asc") == [
        "ärzte 9",
        "Ärzte 10",
    ]
    assert await names(scene, f"search={quote('αστηρ')}") == ["ΑΣΤΗΡ"]
    assert await names(scene, f"search={quote('STRASSE')}") == ["Straße"]
    sorted_names = await names(scene, "sort_by=name&sort_order=asc")
    assert sorted_names == [
        "Acme's phone", "alpha", "ärzte 9", "Ärzte 10", "Beta", "Gamma 100%", "Straße", "zoe",
        "ΑΣΤΗΡ",
    ]  # fmt: skip
    assert await names(scene, "sort_by=name&sort_order=desc") == sorted_names[::-1]
    assert await names(scene, "sort_by=name&sort_order=asc&limit=2&offset=3") == sorted_names[3:5]


async def test_total_counts_what_the_filter_matches(scene: Scene) -> None:
    await add_devices(scene)
    response = (await scene.as_acme("GET", f"{DEVICES}?search=a&limit=1&offset=3")).json()
    assert response["total"] == 4
    assert len(response["devices"]) == 1


async def test_statistics_come_from_the_counts_of_all_stripes_and_days(
    scene: Scene, today: date
) -> None:
    for days_ago, direction, status, stripe, n in (
        (0, "outbound", "read", 0, 2),
        (0, "outbound", "read", 1, 3),
        (6, "inbound", "received", 0, 4),
        (7, "outbound", "failed", 0, 10),
        (29, "outbound", "failed", 0, 20),
        (30, "outbound", "failed", 0, 40),
        (0, "outbound", "queued", 0, 1),
        (0, "outbound", "queued", 1, -1),
    ):
        await add_count(scene, today - timedelta(days=days_ago), direction, status, stripe, n)
    assert (await scene.as_acme("GET", STATS)).json() == {
        "total": 79,
        "by_status": {"read": 5, "received": 4, "failed": 70},
        "by_direction": {"outbound": 75, "inbound": 4},
        "outbound_by_status": {"read": 5, "failed": 70},
        "last_7_days": 9,
        "last_30_days": 39,
    }


async def add_count(
    scene: Scene, day: date, direction: str, status: str, stripe: int, n: int
) -> None:
    await scene.database.pool.execute(
        "INSERT INTO message_counts (shard, organization_id, day, direction, status, stripe, n) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        *scene.acme.organization.tenant,
        day,
        direction,
        status,
        stripe,
        n,
    )


async def test_an_organization_without_messages_has_empty_statistics(scene: Scene) -> None:
    assert (await scene.as_acme("GET", STATS)).json() == {
        "total": 0,
        "by_status": {},
        "by_direction": {},
        "outbound_by_status": {},
        "last_7_days": 0,
        "last_30_days": 0,
    }


# --- what belongs to nobody -------------------------------------------------------------------


async def test_where_nothing_is_it_is_404(scene: Scene) -> None:
    for path in ("/api/v1/nothing", "/api/v1", f"{DEVICES}/", "/docs/..%2fapp.py"):
        response = await scene.as_acme("GET", path)
        assert (response.status_code, response.json()["code"]) == (404, "not_found"), path


async def test_another_method_is_405_and_names_those_there_are(scene: Scene) -> None:
    for method, path, allowed in (
        ("DELETE", DEVICES, "GET, POST"),
        ("GET", BUTTONS, "POST"),
        ("HEAD", EVENTS, "GET"),
        ("OPTIONS", GROUPS, "POST"),
        ("GET", GROUPS, "POST"),
    ):
        response = await scene.as_acme(method, path)
        assert response.status_code == 405
        assert response.headers["allow"] == allowed
        if method != "HEAD":
            assert response.json()["code"] == "method_not_allowed"


async def test_an_unknown_account_is_404(scene: Scene) -> None:
    unknown = str(uuid4())
    for path, body in (
        (BUTTONS, buttons(chat_account_id=unknown)),
        (SYNC, {"chat_account_id": unknown}),
        (GROUPS, {"chat_account_id": unknown, "subject": "x", "participants": ["12345"]}),
    ):
        response = await scene.as_acme("POST", path, json=body)
        assert (response.status_code, response.json()["code"]) == (404, "chat_account_not_found")


# --- request ids and failures of our own ------------------------------------------------------


async def test_every_answer_carries_the_callers_request_id(scene: Scene) -> None:
    for path in (STATS, "/api/v1/nothing", "/docs", "/openapi.json", "/nothing"):
        for name in ("a", "~!" * 64, "0f8e-4b"):
            response = await scene.as_acme("GET", path, headers={"X-Request-Id": name})
            assert response.headers["x-request-id"] == name


async def test_an_unfit_request_id_is_replaced(scene: Scene) -> None:
    for name in ("", "a b", "x" * 129, "é", "a\tb"):
        response = await scene.client.get(STATS, headers=[(b"x-request-id", name.encode("utf-8"))])
        assert response.status_code == 401
        made = response.headers["x-request-id"]
        assert made != name
        assert made.isalnum()


@pytest.mark.usefixtures("hasty_requests")
async def test_a_database_that_is_gone_is_503_and_never_401(scene: Scene) -> None:
    scene.database.pool.terminate()
    response = await scene.as_acme("GET", STATS)
    assert response.status_code == 503
    body = response.json()
    assert body["code"] == "unavailable"
    assert body["maybe_stored"] is False
    assert response.headers["retry-after"] == str(body["retry_after"])


@pytest.mark.usefixtures("hasty_requests")
async def test_under_a_key_nobody_says_that_nothing_was_stored(scene: Scene) -> None:
    """An earlier try may have been, and that can't be looked up."""
    scene.database.pool.terminate()
    keyed = {"Idempotency-Key": "once"}
    found = await scene.as_acme("POST", BUTTONS, json=buttons(), headers=keyed)
    assert (found.status_code, found.json()["maybe_stored"]) == (503, True)
    found = await scene.as_acme("POST", BUTTONS, json=buttons())
    assert (found.status_code, found.json()["maybe_stored"]) == (503, False)


async def test_a_fault_of_ours_is_500_with_the_request_id_and_nothing_of_the_inside(
    scene: Scene,
) -> None:
    await scene.database.pool.execute("DROP TABLE message_counts")
    response = await scene.as_acme("GET", STATS, headers={"X-Request-Id": "find-me"})
    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
    assert response.json()["request_id"] == response.headers["x-request-id"] == "find-me"
    assert "message_counts" not in response.text


# --- the reference ----------------------------------------------------------------------------


async def test_the_references_files_are_sent_in_pieces(scene: Scene) -> None:
    """Else who asks for them and does not read would hold them in the node's memory."""
    pieces: list[int] = []

    async def receive() -> Message:
        await asyncio.Event().wait()  # a client that stays
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        pieces.append(len(message.get("body", b"")))

    path = "/docs/swagger-ui-bundle.js"
    await scene.app(
        {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []},
        receive,
        send,
    )
    assert sum(pieces) > 1_000_000
    assert max(pieces) <= 64 * 1024
