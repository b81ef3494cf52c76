"""Many open pages of one browser: each loads, and hears what happens."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from acceptance.dashboard_pages import go, visit
from acceptance.running_program import Program, running, wait_for

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


@pytest.fixture(scope="module")
def program(reachable_dir: Path, browser_name: str) -> Iterator[Program]:
    """One for each browser."""
    data_dir = Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
    with running(data_dir) as started:
        started.cli("sandbox", "say", "+15550100001", "Is it ready?")
        yield started


@pytest.fixture
def tabs(signed_in: BrowserContext) -> Iterator[list[Page]]:
    """The inbox, as often as somebody has forgotten to close it."""
    [first] = signed_in.pages
    go(first, "Inbox")
    inbox = first.url
    go(first, "Labels")  # which listens to nothing
    signed_in.add_init_script(LEAVABLE)
    opened = [signed_in.new_page() for _ in range(TABS)]
    for page in opened:
        visit(page, inbox)
    yield opened
    for page in opened:
        page.close()


def shows(page: Page, unread: int) -> None:
    expect(page.locator(".conversations .unread")).to_have_count(unread)
    expect(page).to_have_title(f"({unread}) Inbox · Heliograph")


def test_forgotten_tabs_leave_connections_to_the_others(tabs: list[Page], program: Program) -> None:
    program.cli("sandbox", "say", "+15550100002", "Is it ready?")
    for page in tabs:
        shows(page, 2)
    *left, kept = tabs
    for page in left:
        page.evaluate("lookElsewhere(true)")
    wait_for(lambda: len(kept.evaluate(HELD)) == 2)
    assert "live hidden" in kept.evaluate(HELD)
    program.cli("sandbox", "say", "+15550100003", "Is it ready?")
    for page in tabs:
        shows(page, 3)
    left[0].evaluate("lookElsewhere(false)")
    left[0].locator(".conversations .who").last.click()
    expect(left[0].get_by_label("Your answer")).to_be_visible()
