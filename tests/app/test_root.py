"""`/`: a browser is redirected to the dashboard, and a program is told where everything is."""

import httpx
import pytest

from heliograph import __version__
from heliograph.settings import ServerSettings, Settings
from live_gateway import LiveGateway, StartGateway

pytest_plugins = ("live_fixtures",)
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.fixture(scope="module")
def gateway(start_gateway: StartGateway) -> LiveGateway:
    server = ServerSettings(public_url="https://example.com/chat")
    return start_gateway(Settings(server=server))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_browser_is_redirected_to_the_dashboard(gateway: LiveGateway, method: str) -> None:
    answer = httpx.request(method, f"{gateway.base_url}/", headers=BROWSER)
    assert (answer.status_code, answer.headers["location"]) == (307, "/chat/dashboard")
    assert answer.headers["vary"] == "Accept"
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html;q=0, application/json"])
def test_a_program_is_told_where_the_api_is(gateway: LiveGateway, accept: str) -> None:
    answer = httpx.get(f"{gateway.base_url}/", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["vary"]) == (200, "Accept")
    assert answer.json() == {
        "name": "Heliograph",
        "version": __version__,
        "api": "https://example.com/chat/api/v1",
        "description": "https://example.com/chat/openapi.json",
        "reference": "https://example.com/chat/docs",
        "help": "https://example.com/chat/help/",
        "dashboard": "https://example.com/chat/dashboard",
        "tool_server": "https://example.com/chat/mcp",
    }


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("POST", "/", BROWSER),
        ("GET", "//", BROWSER),
        ("GET", "/nothing", BROWSER),
    ],
)
def test_all_else_is_not_found_there(
    gateway: LiveGateway, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = httpx.request(method, gateway.base_url + path, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
