"""The reference at `/docs` in a real browser."""

import httpx
import pytest

from browser import SLOWEST, running_browser
from heliograph.faces.api.app import describe_api, list_operations
from live_gateway import LiveGateway

pytest_plugins = ("live_fixtures",)
DEVICES = "#operations-Devices-listDevices"


def test_trying_out_asks_the_address_that_the_page_is_from(gateway: LiveGateway) -> None:
    """The description names the public URL, and the page's policy allows its own address alone."""
    with running_browser() as browser:
        page = browser.new_page()
        page.set_default_timeout(SLOWEST)
        page.goto(f"http://localhost:{gateway.port}/docs")
        page.click(f"{DEVICES} button.opblock-summary-control")
        with page.expect_response("**/api/v1/devices*") as answered:
            page.click(f"{DEVICES} .execute")
        assert answered.value.url.startswith(f"http://localhost:{gateway.port}/api/v1/devices")
        assert answered.value.status == 401
        assert page.locator(".opblock").count() == len(list_operations()) + len(
            describe_api()["webhooks"]
        )


@pytest.mark.parametrize(
    "path", ["/docs", "/docs/swagger-ui.css", "/docs/start.js", "/openapi.json"]
)
def test_who_checks_whether_it_is_there_need_not_read_it(gateway: LiveGateway, path: str) -> None:
    read, asked = (
        httpx.request(method, gateway.base_url + path, timeout=60) for method in ("GET", "HEAD")
    )
    assert (asked.status_code, asked.content) == (200, b"")
    for name in ("content-type", "content-length"):
        assert asked.headers[name] == read.headers[name]
