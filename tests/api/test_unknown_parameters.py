"""A query parameter that an operation does not have is refused, except by the first ten."""

import re
from uuid import uuid4

from api_scene import Scene
from heliograph.faces.api.app import list_operations
from heliograph.faces.api.routes import FIRST_TEN, GatewayRoute

OPERATIONS = {str(route.operation_id): route for route in list_operations()}


def test_the_first_ten_are_ten_operations() -> None:
    assert len(FIRST_TEN) == 10
    assert OPERATIONS.keys() >= FIRST_TEN


async def call(scene: Scene, route: GatewayRoute, query: str) -> tuple[int, list[object]]:
    """Call an operation with ids that nothing has; return the status, and where problems are."""
    path = re.sub(r"\{\w+\}", str(uuid4()), route.path)
    [method] = sorted(route.methods or set())
    answer = await scene.as_acme(method, f"{path}?{query}")
    detail = answer.json().get("detail") if answer.content else None
    problems = detail if isinstance(detail, list) else []
    return answer.status_code, [problem["loc"] for problem in problems]


async def test_every_operation_beyond_the_ten_refuses_what_it_does_not_know(scene: Scene) -> None:
    for name, route in OPERATIONS.items():
        status, places = await call(scene, route, "chatId=1&nothing_like_it=")
        expected = [["query", "chatId"], ["query", "nothing_like_it"]]
        if name in FIRST_TEN:
            assert expected[0] not in places, name
        else:
            assert (status, places) == (422, expected), name


async def test_a_parameter_that_is_given_twice_is_refused_everywhere(scene: Scene) -> None:
    for name, route in OPERATIONS.items():
        for field in route.dependant.query_params:
            status, places = await call(scene, route, f"{field.alias}=1&{field.alias}=2")
            assert (status, places) == (422, [["query", field.alias]]), name


async def test_the_busy_way_refuses_it_too(scene: Scene) -> None:
    body = {"phone_number": "+15550100001", "content": {"type": "text", "body": "Hello"}}
    sent = await scene.as_acme("POST", "/api/v1/messages?sheduled_for=2030-01-01", json=body)
    assert sent.status_code == 422
    assert sent.json()["detail"][0]["type"] == "extra_forbidden"
    assert (await scene.count_rows())["messages"] == 0
    assert (await scene.as_acme("POST", "/api/v1/messages", json=body)).status_code == 200
