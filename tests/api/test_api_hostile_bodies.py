"""Bodies that no client of good will sends: a clear 4xx, and nothing stored."""

from api_scene import BUTTONS, GROUPS, JOIN, SYNC, Scene, buttons, group_of
from each_case import for_each

JSON = {"Content-Type": "application/json"}
POSTS = (BUTTONS, GROUPS, JOIN, SYNC)
NO_OBJECT = {"array": b"[]", "number": b"1", "null": b"null", "text": b'"x"', "empty": b""}


async def test_what_cannot_be_read_or_stored_is_refused_also_where_it_is_ignored(
    scene: Scene,
) -> None:
    """What else is neither, `test_strict_json.py` knows."""
    before = await scene.count_rows()
    for path in POSTS:
        for body, kind in ((b"{", "json_invalid"), (rb'{"x": "\u0000"}', "value_error")):
            response = await scene.as_acme("POST", path, content=body, headers=JSON)
            assert response.status_code == 422
            assert [problem["type"] for problem in response.json()["detail"]] == [kind]
    assert await scene.count_rows() == before


async def test_bodies_that_are_no_object(scene: Scene) -> None:
    for path in POSTS:
        for name, body in NO_OBJECT.items():
            response = await scene.as_acme("POST", path, content=body, headers=JSON)
            assert response.status_code == 422, name
            assert response.json()["detail"][0]["loc"] == ["body"], name


@for_each("path", [*POSTS, "/api/v1/nothing"])
async def test_a_body_of_64_kibibytes_is_read_and_no_more(scene: Scene, path: str) -> None:
    limit = 64 * 1024
    body = b'{"x": "' + b"x" * (limit - 9) + b'"}'
    assert len(body) == limit
    read = await scene.as_acme("POST", path, content=body, headers=JSON)
    assert read.status_code == (404 if "nothing" in path else 422)
    refused = await scene.as_acme("POST", path, content=body + b" ", headers=JSON)
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")
    assert f" {limit} bytes" in refused.json()["detail"]


async def test_the_largest_group_fits(scene: Scene) -> None:
    await scene.set_connected(scene.acme.account)
    people = [f"{'p' * 38}{number}@example.com" for number in range(1024)]
    body = group_of(scene.acme.account, participants=people)
    response = await scene.as_acme("POST", GROUPS, json=body)
    assert response.status_code == 422, "the network has no such addresses"
    assert response.json()["detail"][0]["loc"][:2] == ["body", "participants"]


async def test_hostile_query_parameters(scene: Scene) -> None:
    for query in (
        "search=%00",
        "status=a%00",
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=1.5",
        "offset=-1",
        "offset=9223372036854775808",
        "offset=" + "9" * 5000,
        "limit=1&limit=2",
        "search=a&search=a",
        "sort_by=id",
        "sort_order=sideways",
    ):
        response = await scene.as_acme("GET", f"/api/v1/devices?{query}")
        assert response.status_code == 422, query
        name = query.split("=")[0]
        assert response.json()["detail"][0]["loc"] == ["query", name], query


async def test_strange_but_harmless_query_parameters(scene: Scene) -> None:
    for query in ("search=%ff%fe", "search=%25_%27;--", "status=x", "a=1", "a=1&a=2"):
        response = await scene.as_acme("GET", f"/api/v1/devices?{query}")
        assert response.status_code == 200, query


async def test_an_id_that_is_none_is_invalid(scene: Scene) -> None:
    for bad in ("x", "%00", "0", "a" * 5000, "%F0%9F%92%A3"):
        for path in (
            f"/api/v1/messages/{bad}",
            f"/api/v1/conversations/{bad}",
            f"/api/v1/contacts/{bad}/profile-picture",
        ):
            response = await scene.as_acme("GET", path)
            assert response.status_code == 422
            assert response.json()["detail"][0]["loc"][0] == "path"


@for_each(
    ("name", "kind"),
    [
        ("", "string_too_short"),
        ('""', "string_too_short"),
        ("x" * 256, "string_too_long"),
        ('"' + "x" * 256 + '"', "string_too_long"),
        ("\u00e9", "value_error"),
    ],
)
async def test_an_idempotency_key_of_the_wrong_form(scene: Scene, name: str, kind: str) -> None:
    headers = {"Idempotency-Key": name.encode("utf-8")}
    response = await scene.as_acme("POST", BUTTONS, json=buttons(), headers=headers)
    assert response.status_code == 422
    [problem] = response.json()["detail"]
    assert (problem["loc"], problem["type"]) == (["header", "Idempotency-Key"], kind)
    assert (await scene.count_rows())["messages"] == 0


async def test_what_is_missing_is_told_with_what_was_sent_if_that_is_short(scene: Scene) -> None:
    few: dict[str, object] = {"x": [0, "", [], {}, None, 1.5, "é"]}
    many: dict[str, object] = {"x": [0, 1.5] * 300}
    for sent, is_told in ((few, True), (many, False)):
        response = await scene.as_acme("POST", BUTTONS, json=sent)
        problems = response.json()["detail"]
        assert {problem["type"] for problem in problems} == {"missing"}
        assert {problem.get("input") == sent for problem in problems} == {is_told}


LONG = "x" * 15_000
MANY: list[tuple[str, dict[str, object]]] = [
    (
        "/api/v1/messages",
        {"phone_number": "+1", "content": {"type": "buttons", "buttons": [{}] * 800}},
    ),
    ("/api/v1/messages", {f"{number:04}{'y' * 8}": number for number in range(2000)}),
    ("/api/v1/messages", {LONG: 1, "phone_number": LONG, "content": {"type": LONG}}),
    ("/api/v1/messages", {"content": {"type": "text", "body": {"a": LONG}}}),
    (BUTTONS, {"phone_number": LONG, "content": {"buttons": [{"id": LONG[:9000]}] * 3}}),
    ("/api/v1/groups", {"subject": "x", "participants": ["nobody"] * 1000}),
    ("/api/v1/groups", {"subject": 1, "participants": [{"a": 1}] * 1000}),
    ("/api/v1/contacts/check", {"phone_numbers": [None] * 2000}),
    ("/api/v1/webhooks/subscriptions", {"url": LONG, "events": ["no"] * 2000}),
    ("/api/v1/api-keys", {"name": LONG, "scopes": ["no"] * 2000, "chat_account_ids": [1] * 1900}),
    ("/api/v1/labels", {"name": LONG, "color": LONG}),
]


@for_each(("path", "body"), MANY, ids=lambda value: str(value)[:60])
async def test_a_body_that_is_wrong_in_many_ways_has_a_short_answer(
    scene: Scene, path: str, body: dict[str, object]
) -> None:
    response = await scene.as_acme("POST", path, json=body)
    assert response.status_code in (404, 422)
    assert len(response.content) < 40_000
    if response.status_code == 422:
        *problems, last = response.json()["detail"]
        assert len(problems) < 20
        assert (last["type"] == "too_many_problems") == (len(problems) == 19)
