"""The reference at `/docs` in a real browser."""

from pathlib import Path

from live_gateway import fresh_database, live_gateway

from browser import SLOWEST, running_browser
from heliograph.api.app import list_operations
from heliograph.model.events import EventType

DEVICES = "#operations-Devices-listDevices"


def test_trying_out_asks_the_address_that_the_page_is_from(
    postgres_url: str, template_database: str, tmp_path: Path
) -> None:
    """The description names the public URL, and the page's policy allows its own address alone."""
    with (
        fresh_database(postgres_url, template_database) as url,
        live_gateway(url, tmp_path) as gateway,
        running_browser() as browser,
    ):
        page = browser.new_page()
        page.set_default_timeout(SLOWEST)
        page.goto(f"http://localhost:{gateway.port}/docs")
        page.click(f"{DEVICES} button.opblock-summary-control")
        with page.expect_response("**/api/v1/devices*") as answered:
            page.click(f"{DEVICES} .execute")
        assert answered.value.url.startswith(f"http://localhost:{gateway.port}/api/v1/devices")
        assert answered.value.status == 401
        assert page.locator(".opblock").count() == len(list_operations()) + len(EventType)
