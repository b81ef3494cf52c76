"""Which bodies operations take: none where they need none, and no member that they don't know."""

from uuid import uuid4

import pytest

from api_scene import Scene
from each_case import for_each
from heliograph.faces.api.openapi import read_description

BODILESS = [
    ("POST", "/messages/{id}/cancel"),
    ("DELETE", "/messages/{id}"),
    ("DELETE", "/messages/{id}/reaction"),
    ("POST", "/conversations/{id}/read"),
    ("POST", "/groups/{id}/leave"),
    ("DELETE", "/groups/{id}/participants/+5511999990000"),
    ("DELETE", "/labels/{id}"),
    ("POST", "/devices/{id}/reconnect"),
    ("POST", "/devices/{id}/log-out"),
    ("DELETE", "/devices/{id}"),
    ("DELETE", "/webhooks/subscriptions/{id}"),
    ("POST", "/webhooks/subscriptions/{id}/ping"),
    ("POST", "/webhooks/deliveries/{id}/redeliver"),
    ("DELETE", "/api-keys/{id}"),
    ("DELETE", "/media/{id}"),
]
OPTIONAL = [
    ("POST", "/conversations/{id}/typing"),
    ("POST", "/webhooks/subscriptions/{id}/rotate-secret"),
    ("POST", "/api-keys/{id}/rotate"),
]


def address(path: str) -> str:
    return "/api/v1" + path.format(id=uuid4())


def test_every_operation_without_a_body_is_tried_here() -> None:
    described = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in read_description()["paths"].items()
        for method, operation in methods.items()
        if method != "get" and "requestBody" not in operation
    }
    assert len(described) == len(BODILESS)
    assert {method for method, _ in described} == {"POST", "DELETE"}


@for_each(("method", "path"), BODILESS)
async def test_what_takes_no_body_refuses_members(scene: Scene, method: str, path: str) -> None:
    body = {"scheduled_for": "2027-01-01T09:00:00Z"}
    refused = await scene.as_acme(method, address(path), json=body)
    assert refused.status_code == 422
    assert refused.json()["detail"] == [
        {
            "type": "extra_forbidden",
            "loc": ["body", "scheduled_for"],
            "msg": "Extra inputs are not permitted",
            "input": "2027-01-01T09:00:00Z",
        }
    ]


@pytest.mark.parametrize("content", [b"[1]", b"now", b"\xff"])
async def test_what_takes_no_body_refuses_one_that_is_no_object(
    scene: Scene, content: bytes
) -> None:
    path = address("/messages/{id}/cancel")
    refused = await scene.as_acme("POST", path, content=content)
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"][0] == "body"


@for_each("content", [b"", b"{}", b" "])
@for_each(("method", "path"), BODILESS)
async def test_an_empty_body_is_none(scene: Scene, method: str, path: str, content: bytes) -> None:
    assert (await scene.as_acme(method, address(path), content=content)).status_code == 404


@pytest.mark.parametrize(("method", "path"), OPTIONAL)
async def test_what_has_a_default_for_everything_needs_no_body(
    scene: Scene, method: str, path: str
) -> None:
    assert (await scene.as_acme(method, address(path))).status_code == 404
    refused = await scene.as_acme(method, address(path), json={"grace": 0})
    assert refused.json()["detail"][0]["type"] == "extra_forbidden"
