"""The documentation in a real browser: searched and read, light and dark, nothing forbidden."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect

from acceptance.accessibility import examine
from browser import SLOWEST, running_browser
from heliograph.faces.help.app import create_help

pytest_plugins = ("built_site",)
_OPENED_WITHIN = 2_000
"""Milliseconds after which the key that opens the search was lost, as it is until the search, which
is the theme's, has been drawn: it does not tell when it listens."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_help("", site), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as started:
        yield started


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that may complain of nothing, and ask no other host."""
    troubles: list[str] = []
    with browser.new_context(base_url=address, color_scheme=request.param) as context:
        context.set_default_timeout(SLOWEST)
        opened = context.new_page()
        opened.on(
            "console",
            lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None,
        )
        opened.on("pageerror", lambda error: troubles.append(str(error)))
        opened.on("requestfailed", lambda failed: troubles.append(failed.url))
        context.on(
            "request",
            lambda asked: None if asked.url.startswith(address) else troubles.append(asked.url),
        )
        yield opened
        assert troubles == []


def test_a_word_is_searched_and_a_result_is_opened(page: Page) -> None:
    page.goto("/help/")
    expect(page.get_by_role("heading", name="Heliograph", level=1)).to_be_visible()
    search = page.get_by_role("combobox", name="Search")
    while not search.is_visible():
        page.keyboard.press("Control+k")
        page.wait_for_timeout(_OPENED_WITHIN)
    search.fill("idempotency")
    result = page.get_by_role("option").filter(has_text="Repeat safely")
    result.click()
    expect(page.get_by_role("heading", name="Repeat safely")).to_be_in_viewport()
    assert "/help/api/" in page.url


def test_the_scheme_is_the_systems_until_somebody_chooses(page: Page) -> None:
    page.goto("/help/dashboard/")
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    scheme = "slate" if is_dark else "default"
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", scheme)
    light = page.get_by_alt_text("Overview: what needs attention").first
    expect(light).to_be_visible(visible=not is_dark)
    page.get_by_title("Always light").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    # to leave the page would cut off the picture that it has begun to load
    expect(light).to_have_js_property("complete", True)  # a property's value
    page.goto("/help/api/")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")


@pytest.mark.parametrize("path", ["", "api/", "decisions/0001-postgresql-is-the-only-engine/"])
def test_nothing_keeps_people_from_reading(page: Page, path: str) -> None:
    page.goto(f"/help/{path}")
    examine(page)
