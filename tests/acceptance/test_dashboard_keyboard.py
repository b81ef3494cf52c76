"""The inbox with the keyboard alone: each job that a person has there, without a mouse."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from acceptance.dashboard_pages import (
    go,
    make_canned_reply,
    owner_signed_in,
    until_ready,
    visit,
)
from acceptance.running_program import Program, running, wait_for

pytestmark = pytest.mark.firefox_too
SHOWS_FOCUS = """() => {
  const at = document.activeElement;
  const isOutlined = (each) => each && getComputedStyle(each).outlineStyle !== "none";
  const row = at.matches(".who") && at.closest("li");
  return at !== document.body && [at, row, at.labels?.[0]].some(isOutlined);
}"""
"""Whether a person sees where they are; a row and a label stand for what is in them."""
PLACE = """() => {
  const at = document.activeElement;
  return at === document.body ? null : [...document.querySelectorAll("*")].indexOf(at);
}"""
LABELS = "/api/v1/labels"


@pytest.fixture(scope="module")
def program(reachable_dir: Path, browser_name: str) -> Iterator[Program]:
    """A gateway to whose demo phone two people have written; one for each browser."""
    data_dir = Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
    with running(data_dir) as started:
        for person in ("+15550100001", "+15550100002"):
            started.cli("sandbox", "say", person, "Is it ready?")
        label = {"name": "VIP", "color": "#b3261e"}
        assert started.ask("POST", LABELS, json=label).status_code == 201
        yield started


@pytest.fixture(scope="module")
def signed_in(browser: Browser, program: Program) -> Iterator[BrowserContext]:
    with owner_signed_in(browser, program) as context:
        [page] = context.pages
        make_canned_reply(page, "hello", "Hello, how can we help?")
        go(page, "Inbox")
        rows = page.locator(".conversations .who")
        wait_for(lambda: page.reload() and rows.count() == 2)
        yield context


@pytest.fixture
def inbox(signed_in: BrowserContext) -> Iterator[Page]:
    """The list, where nothing has the focus yet."""
    page = signed_in.new_page()
    visit(page, signed_in.pages[0].url)
    yield page
    page.close()


def press(page: Page, *keys: str) -> None:
    """Keys that leave a person somewhere on the same page, where they see it."""
    until_ready(page)
    for key in keys:
        page.keyboard.press(key)
        assert page.evaluate(SHOWS_FOCUS), f"after {key}"


def press_and_go(page: Page, *keys: str) -> None:
    """Keys of which one leads on: after a choice it is whichever comes first, Enter or a rest."""
    until_ready(page)
    with page.expect_navigation():
        for key in keys:
            page.keyboard.press(key)


def open_conversation(page: Page, steps: int = 1) -> None:
    press(page, *["j"] * steps)
    press_and_go(page, "Enter")
    expect(page.get_by_label("Your answer")).to_be_visible()


def test_every_stop_of_the_tab_key_shows_itself(inbox: Page) -> None:
    """And none holds a person: behind the last one is the browser."""
    open_conversation(inbox)
    passed: list[int] = []
    inbox.keyboard.press("Tab")
    while (place := inbox.evaluate(PLACE)) is not None:
        assert place not in passed
        assert inbox.evaluate(SHOWS_FOCUS), inbox.evaluate("document.activeElement.outerHTML")
        passed.append(place)
        inbox.keyboard.press("Tab")
    assert len(passed) > 30


def test_the_sheet_of_keys_opens_and_closes(inbox: Page) -> None:
    press(inbox, "?")
    expect(inbox.get_by_role("dialog", name="Keyboard")).to_be_visible()
    inbox.keyboard.press("Escape")
    expect(inbox.get_by_role("dialog")).to_be_hidden()
    press(inbox, "/")
    expect(inbox.get_by_label("Search")).to_be_focused()
    inbox.keyboard.press("Escape")
    press(inbox, "j")
    expect(inbox.locator(".conversations .who").first).to_be_focused()


def test_a_person_is_answered(inbox: Page) -> None:
    """In words of one's own, and in those of a canned reply."""
    open_conversation(inbox)
    press(inbox, "r", "e")  # which closes a conversation, but not while something is written
    expect(inbox.get_by_label("Your answer")).to_have_value("e")
    press(inbox, "Backspace")
    inbox.keyboard.type("It is.")
    press(inbox, "Enter")
    expect(inbox.locator(".bubble.outbound").get_by_text("It is.")).to_be_visible()
    expect(inbox.get_by_label("Your answer")).to_be_focused()  # what is typed next is no shortcut
    press(inbox, "/", "h", "Enter")
    expect(inbox.get_by_label("Your answer")).to_have_value("Hello, how can we help?")
    press(inbox, "Enter")
    sent = inbox.locator(".bubble.outbound").get_by_text("Hello, how can we help?")
    expect(sent).to_be_visible()


def test_a_note_is_written(inbox: Page) -> None:
    open_conversation(inbox)
    press(inbox, "m")
    inbox.keyboard.type("She is a friend.")
    press(inbox, "Enter")
    expect(inbox.locator(".note").get_by_text("She is a friend.")).to_be_visible()
    expect(inbox.get_by_label("Note for colleagues")).to_be_focused()


def test_a_message_is_chosen_and_left(inbox: Page) -> None:
    open_conversation(inbox)
    address = inbox.url
    inbox.get_by_label("Your answer").fill("Half a sen")
    inbox.evaluate("window.isSamePage = true")
    inbox.locator(".bubble .at").last.focus()
    inbox.keyboard.press("Enter")
    expect(inbox.locator("#selected")).to_be_visible()
    expect(inbox.get_by_label("Your answer")).to_be_focused()
    assert "at=" in inbox.url, "a reload keeps it"
    expect(inbox.get_by_label("Your answer")).to_have_value("Half a sen")
    inbox.keyboard.press("Escape")
    inbox.keyboard.press("Escape")
    expect(inbox.locator("#selected")).to_have_count(0)
    assert inbox.url.partition("#")[0] == address
    assert inbox.evaluate("window.isSamePage"), "nobody is led away from their place in the thread"


def test_a_conversation_is_assigned_and_labelled(inbox: Page) -> None:
    """Also where the window has no room for the person beside the conversation."""
    inbox.set_viewport_size({"width": 1280, "height": 800})
    open_conversation(inbox)
    expect(inbox.locator("#about")).to_be_hidden()
    chosen, labels = inbox.locator("#panel [data-key=a]"), inbox.locator("#panel .chips")
    press(inbox, "a")
    press_and_go(inbox, "End", "Enter")
    expect(chosen).not_to_have_value("")
    press(inbox, "l")
    press_and_go(inbox, "End", "Enter")
    expect(labels.get_by_text("VIP")).to_have_count(1)
    press(inbox, "a", "Tab")
    press_and_go(inbox, "Enter")
    expect(labels).to_have_count(0)
    press(inbox, "a")
    expect(inbox.locator("#about")).to_be_visible()
    inbox.keyboard.press("Escape")
    inbox.keyboard.press("Escape")
    expect(inbox.locator("#about")).to_be_hidden()
    expect(inbox.get_by_label("Your answer")).to_be_visible()


def test_a_conversation_is_snoozed_and_closed(inbox: Page) -> None:
    open_conversation(inbox)
    press(inbox, "s", "ArrowDown", "ArrowUp")
    expect(inbox.get_by_role("button", name="in an hour")).to_be_focused()
    press_and_go(inbox, "Enter")
    expect(inbox.locator("#thread-actions").get_by_text("snoozed", exact=True)).to_be_visible()
    press_and_go(inbox, "e")
    expect(inbox.get_by_role("button", name="Close", exact=True)).to_be_visible()
    press_and_go(inbox, "e")
    expect(inbox.get_by_role("button", name="Reopen")).to_be_visible()
    press_and_go(inbox, "e")


def test_another_one_is_pinned_and_marked_unread(inbox: Page) -> None:
    open_conversation(inbox, 2)
    press_and_go(inbox, "p")
    expect(inbox.get_by_role("heading", name="Pinned")).to_be_visible()
    press_and_go(inbox, "p")
    expect(inbox.get_by_role("heading", name="Pinned")).to_be_hidden()
    press_and_go(inbox, "u")
    expect(inbox.locator(".conversations .unread")).to_have_count(1)


def test_a_conversation_begins(inbox: Page) -> None:
    press_and_go(inbox, "n")
    expect(inbox.get_by_role("textbox", name="To")).to_be_focused()
    inbox.keyboard.type("+15550100003")
    press_and_go(inbox, "Enter")
    expect(inbox.get_by_label("Your message")).to_be_focused()
    inbox.keyboard.type("It is ready.")
    press_and_go(inbox, "Enter")
    expect(inbox.get_by_label("Your answer")).to_be_visible()
    expect(inbox.locator(".bubble.outbound").get_by_text("It is ready.")).to_be_visible()
