"""What is around every page of the dashboard, in a real browser: areas, menus, dialogs, times."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from acceptance.dashboard_pages import go, leave_for, open_form
from acceptance.running_program import Program
from browser import SLOWEST


@contextmanager
def opened(signed_in: BrowserContext, **kind: Any) -> Iterator[Page]:
    """The first page in a browser of this kind, where the owner is signed in."""
    [page] = signed_in.pages[:1]
    browser = signed_in.browser
    assert browser is not None
    with browser.new_context(
        base_url=page.url, storage_state=signed_in.storage_state(), **kind
    ) as context:
        context.set_default_timeout(SLOWEST)
        mine = context.new_page()
        mine.goto("/dashboard")
        expect(mine.get_by_role("heading", name="Overview")).to_be_visible()
        yield mine


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    page = signed_in.new_page()
    page.goto("/dashboard")
    yield page
    page.close()


@pytest.fixture
def without_scripts(signed_in: BrowserContext) -> Iterator[Page]:
    with opened(signed_in, java_script_enabled=False) as page:
        yield page


@pytest.fixture
def phone(signed_in: BrowserContext) -> Iterator[Page]:
    viewport = {"width": 390, "height": 800}
    with opened(signed_in, viewport=viewport, has_touch=True, is_mobile=True) as page:
        yield page


@pytest.mark.firefox_too
def test_a_menu_closes_on_esc_and_on_a_click_elsewhere(page: Page) -> None:
    page.get_by_role("link", name="Demo phone", exact=True).click()
    menu, entry = page.get_by_label("More about"), page.get_by_role("link", name="Remove")
    expect(entry).to_be_hidden()
    menu.click()
    expect(entry).to_be_visible()
    entry.focus()
    page.keyboard.press("Escape")
    expect(entry).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.get_by_role("heading", level=1).click()
    expect(entry).to_be_hidden()
    menu.click()
    page.locator(".person summary").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    expect(entry).to_be_hidden()


@pytest.mark.firefox_too
def test_a_dialog_opens_by_its_button_and_closes_in_four_ways(page: Page) -> None:
    go(page, "API keys")
    address, dialog = page.url, page.get_by_role("dialog", name="New key")
    ways: list[Callable[[], None]] = [
        lambda: page.keyboard.press("Escape"),
        lambda: dialog.get_by_role("button", name="Close").click(),
        lambda: dialog.get_by_role("link", name="Cancel").click(),
        lambda: page.mouse.click(5, 5),
    ]
    for close in ways:
        expect(dialog).to_be_hidden()
        open_form(page, "New key")
        expect(dialog.get_by_label("Name")).to_be_focused()
        assert page.evaluate("document.querySelector('dialog[open]').matches(':modal')")
        close()
    expect(dialog).to_be_hidden()
    assert page.url == address


@pytest.mark.firefox_too
def test_a_form_that_is_refused_is_open_with_what_was_written(page: Page) -> None:
    go(page, "API keys")
    open_form(page, "New key")
    page.get_by_label("Name").fill("Shop")
    page.get_by_role("button", name="Make the key").click()
    dialog = page.get_by_role("dialog", name="New key")
    expect(dialog.get_by_role("alert")).to_contain_text("Choose what the key may do")
    expect(dialog.get_by_label("Name")).to_have_value("Shop")
    assert page.evaluate("document.querySelector('dialog[open]').matches(':modal')")


def test_a_dialog_is_a_part_of_the_page_without_scripts(without_scripts: Page) -> None:
    page = without_scripts
    go(page, "API keys")
    dialog = page.get_by_role("dialog", name="New key")
    expect(dialog).to_be_hidden()
    page.get_by_role("link", name="New key").click()
    expect(page).to_have_url(re.compile(r"\?open=new#new$"))
    expect(dialog).to_be_visible()
    expect(dialog).to_have_css("position", "static")
    dialog.get_by_role("link", name="Cancel").click()
    expect(page).to_have_url(re.compile(r"/keys$"))
    expect(dialog).to_be_hidden()
    open_form(page, "New key")
    page.get_by_label("Name").fill("Without scripts")
    page.get_by_label("messages:read").check()
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_label("API key")).to_have_value(re.compile("^hg_"))
    go(page, "API keys")
    page.get_by_label("Change Without scripts").click()
    page.get_by_role("link", name="Revoke Without scripts").click()
    page.get_by_role("button", name="Revoke this key").click()
    expect(page.get_by_text("Revoked and expired keys (1)")).to_be_visible()


def test_the_areas_are_behind_a_button_on_a_phone(phone: Page) -> None:
    areas = phone.get_by_role("navigation", name="Areas")
    expect(areas).to_be_hidden()
    ways: list[Callable[[], None]] = [
        lambda: phone.get_by_role("link", name="Close the menu").click(),
        lambda: phone.keyboard.press("Escape"),
        lambda: phone.mouse.click(380, 400),
    ]
    for close in ways:
        phone.get_by_role("link", name="Open the menu").click()
        expect(areas).to_be_visible()
        close()
        expect(areas).to_be_hidden()
    go(phone, "Members")
    expect(areas).to_be_hidden()


def test_times_are_the_readers_own(signed_in: BrowserContext, program: Program) -> None:
    """In their zone and language, and what is young by its age; in UTC without scripts."""
    message_id = program.send()
    program.wait_for_status(message_id, "read")
    with opened(signed_in, locale="de-DE", timezone_id="Asia/Tokyo") as page:
        home = page.url
        page.goto(f"{home}/messages/{message_id}")
        time = page.locator(".way time").first
        at = datetime.fromisoformat(str(time.get_attribute("datetime")))
        there = at.astimezone(ZoneInfo("Asia/Tokyo"))
        expect(time).to_have_text(there.strftime("%d.%m.%Y, %H:%M:%S"))
        expect(time).to_have_attribute("title", re.compile(there.strftime("%H:%M:%S GMT.9")))
        page.goto(f"{home}/messages")
        expect(page.locator("td.time").first).to_have_text(re.compile("^(jetzt|vor .+)$"))
        page.get_by_role("link", name="Ada").first.click()
        expect(page.locator(".messages .day").last).to_have_text(
            re.compile(rf"^(Mon|Diens|Mitt|Donners|Frei|Sams|Sonn)\w+, {there.day}\. ")
        )
        assert asked_in_own_time(page, home) == timedelta(hours=9)
    with opened(signed_in, java_script_enabled=False) as page:
        page.goto(f"{home}/messages/{message_id}")
        time = page.locator(".way time").first
        expect(time).to_have_text(at.strftime("%Y-%m-%d %H:%M:%S UTC"))


def asked_in_own_time(page: Page, home: str) -> timedelta:
    """By how much a form that takes times shows others than it sends."""
    page.goto(f"{home}/developers/webhooks")
    page.get_by_role("button", name="Add the try-out endpoint").click()
    expect(page.get_by_role("button", name="Send a ping")).to_be_visible()
    leave_for(page, f"{home}/developers/deliveries")
    open_form(page, "Send a time range again")
    shown = datetime.fromisoformat(
        page.get_by_role("dialog").get_by_label("From", exact=True).input_value()
    )
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.get_by_role("button", name="Send again").click()
    [given] = parse_qs(sent.value.post_data or "")["since"]
    return shown - datetime.fromisoformat(given)


@pytest.mark.firefox_too
def test_what_was_done_is_said_once(page: Page) -> None:
    go(page, "Labels")
    open_form(page, "New label")
    form = page.get_by_role("dialog", name="New label")
    form.get_by_label("Name").fill("Regulars")
    form.get_by_role("button", name="Create").click()
    said = page.get_by_role("status").get_by_text("Saved.")
    expect(said).to_be_visible()
    expect(page).to_have_url(re.compile("/inbox/labels$"))  # once its scripts have run
    page.reload()
    expect(page.get_by_role("link", name="Conversations with Regulars")).to_be_visible()
    expect(said).to_have_count(0)


@pytest.mark.firefox_too
def test_what_is_copied_is_in_the_clipboard(
    page: Page, program: Program, browser_name: str
) -> None:
    if browser_name == "chromium":  # without windows it has nowhere to ask, and allows nothing
        page.context.grant_permissions(["clipboard-write"])
    page.get_by_role("link", name="Demo phone", exact=True).click()
    page.get_by_role("button", name="Copy the id").click()
    expect(page.get_by_role("status").get_by_text("Copied.")).to_be_visible()
    go(page, "Inbox")
    page.get_by_label("Search").press("Control+V")
    expect(page.get_by_label("Search")).to_have_value(program.account_id)
