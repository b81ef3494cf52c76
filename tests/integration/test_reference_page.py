"""The reference at `/docs` in a real browser."""

from live_gateway import LiveGateway

from browser import SLOWEST, running_browser
from heliograph.api.app import list_operations
from heliograph.model.events import EventType

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
        assert page.locator(".opblock").count() == len(list_operations()) + len(EventType)
