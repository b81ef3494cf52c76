"""What the gateway failed to answer: said once, on a connection that goes on."""

import http.client
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from dashboard_scene import COOKIE, NO_CALLS, DashboardScene, path_of
from dashboard_scene import scene as scene
from heliograph.app.server import configure_server
from heliograph.core.members.model import MemberRole
from heliograph.faces.api.request_logging import RequestIdMiddleware
from heliograph.faces.dashboard.app import create_dashboard
from server_in_thread import PATIENCE, serving


async def answer(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("here")


async def fail(_request: Request) -> PlainTextResponse:
    raise RuntimeError("a fault of ours")


async def fail_midway(_request: Request) -> StreamingResponse:
    async def parts() -> AsyncIterator[str]:
        yield "the beginning"
        raise RuntimeError("a fault of ours")

    return StreamingResponse(parts())


@pytest.fixture
def connection() -> Iterator[http.client.HTTPConnection]:
    routes = [Route("/", answer), Route("/fault", fail), Route("/midway", fail_midway)]
    with serving(configure_server(RequestIdMiddleware(Starlette(routes=routes)))) as server:
        connection = http.client.HTTPConnection(*server.address, timeout=PATIENCE)
        yield connection
        connection.close()


def test_a_connection_goes_on_after_a_fault(connection: http.client.HTTPConnection) -> None:
    for path, status in (("/fault", 500), ("/", 200), ("/fault", 500), ("/", 200)):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        assert response.status == status


def test_an_answer_that_broke_off_is_seen_to(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/midway")
    with pytest.raises(http.client.IncompleteRead):
        connection.getresponse().read()


async def test_people_are_told_of_a_fault_on_a_page(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    app = RequestIdMiddleware(create_dashboard(scene.gateway, NO_CALLS))
    await scene.gateway.database.pool.execute("DROP TABLE labels CASCADE")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url=scene.gateway.settings.public_url,
        cookies={COOKIE: owner.token},
    ) as browser:
        page = await browser.get(path_of(acme, "inbox/labels"))
    assert page.status_code == 500
    assert "Something went wrong" in page.text
    assert "labels" not in page.text
