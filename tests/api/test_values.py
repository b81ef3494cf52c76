"""Values that several operations take."""

from uuid import uuid4

from api_scene import Scene
from each_case import for_each

MESSAGE = {"phone_number": "+5511999990000", "content": {"type": "text", "body": "Hello"}}
RANGE = {"since": "2026-03-01T09:00:00Z", "until": "2026-03-01T10:00:00Z"}
NO_TIMES = [1_893_456_000, 1_893_456_000_000.0, "1893456000", "2030-01-01", True]
"""What pydantic would also take for a time, or a program send by mistake: the seconds and
milliseconds since 1970, a day."""


@for_each("value", NO_TIMES)
@for_each(
    ("method", "path", "body", "field"),
    [
        ("POST", "/messages", MESSAGE, "scheduled_for"),
        ("POST", "/messages", MESSAGE, "expires_at"),
        ("PATCH", "/conversations/{id}", {"status": "snoozed"}, "snoozed_until"),
        ("POST", "/webhooks/subscriptions/{id}/replay", RANGE, "since"),
        ("POST", "/webhooks/subscriptions/{id}/replay", RANGE, "until"),
        ("POST", "/api-keys", {"name": "x"}, "expires_at"),
    ],
)
async def test_a_time_is_written_in_iso_8601(
    scene: Scene, method: str, path: str, body: dict[str, object], field: str, value: object
) -> None:
    before = await scene.count_rows()
    address = "/api/v1" + path.format(id=uuid4())
    refused = await scene.as_acme(method, address, json=body | {field: value})
    assert refused.status_code == 422, refused.text
    [problem] = refused.json()["detail"]
    assert problem["loc"] == ["body", field]
    assert "2026-03-01T09:00:00Z" in problem["msg"]
    assert await scene.count_rows() == before


async def test_a_time_that_utc_does_not_have_is_the_last_one(scene: Scene) -> None:
    beyond, last = "9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59Z"
    made = await scene.as_acme("POST", "/api/v1/api-keys", json={"name": "x", "expires_at": beyond})
    assert (made.status_code, made.json()["expires_at"]) == (201, last)

    sent = await scene.as_acme("POST", "/api/v1/messages", json=MESSAGE | {"expires_at": beyond})
    assert sent.status_code == 200, sent.text
