"""Many open pages of one browser: each loads, and hears what happens."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from acceptance.dashboard_pages import visit
from acceptance.running_program import Program, wait_for
from browser import SLOWEST

pytestmark = pytest.mark.firefox_too
TABS = 7
"""Over HTTP/1.1 a browser has six connections to a gateway."""
LEAVABLE = """
let isLeft = false;
Object.defineProperty(document, "hidden", { get: () => isLeft });
Object.defineProperty(document, "visibilityState", { get: () => isLeft ? "hidden" : "visible" });
window.lookElsewhere = (left) => {
  isLeft = left;
  document.dispatchEvent(new Event("visibilitychange"));
};
"""
"""Neither browser hides a page that Playwright has opened."""
HELD = "async () => (await navigator.locks.query()).held.map(({ name }) => name).sort()"


@pytest.fixture
def tabs(signed_in: BrowserContext, browser: Browser, program: Program) -> Iterator[list[Page]]:
    """The inbox, as often as somebody has forgotten to close it."""
    with browser.new_context(
        base_url=program.demo["base_url"], storage_state=signed_in.storage_state()
    ) as context:
        context.set_default_timeout(SLOWEST)
        context.add_init_script(LEAVABLE)
        opened = [context.new_page() for _ in range(TABS)]
        for page in opened:
            visit(page, f"/dashboard/{program.demo['organization_id']}/inbox")
        yield opened


def shows(page: Page, unread: int) -> None:
    expect(page.locator(".conversations .unread")).to_have_count(unread)
    expect(page).to_have_title(f"({unread}) Inbox · Heliograph")


def test_forgotten_tabs_leave_connections_to_the_others(tabs: list[Page], program: Program) -> None:
    unread = tabs[0].locator(".conversations .unread").count()
    program.cli("sandbox", "say", "+15550100031", "Is it ready?")
    for page in tabs:
        shows(page, unread + 1)
    *left, kept = tabs
    for page in left:
        page.evaluate("lookElsewhere(true)")
    wait_for(lambda: len(kept.evaluate(HELD)) == 2)
    assert "live hidden" in kept.evaluate(HELD)
    program.cli("sandbox", "say", "+15550100032", "Is it ready?")
    for page in tabs:
        shows(page, unread + 2)
    left[0].evaluate("lookElsewhere(false)")
    left[0].locator(".conversations .who").last.click()
    expect(left[0].get_by_label("Your answer")).to_be_visible()
