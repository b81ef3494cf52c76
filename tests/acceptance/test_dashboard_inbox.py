"""The dashboard's inbox in a real browser: live with scripts, and whole without them."""

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from acceptance.accessibility import examine
from acceptance.running_program import Program, running
from browser import SLOWEST, running_browser

NARROW = {"width": 380, "height": 760}

# What the gateway would tell, told by the test: `speak` is news of a conversation.
STAGE = """
const sources = [];
window.EventSource = class extends EventTarget {
  constructor() { super(); this.readyState = 1; sources.push(this); }
  close() { this.readyState = 2; }
};
window.EventSource.CLOSED = 2;
window.speak = (said, kind = "messages") => {
  sources.at(-1).dispatchEvent(new MessageEvent(kind, { data: said }));
};
"""


@pytest.fixture(scope="module")
def program(reachable_dir: Path) -> Iterator[Program]:
    """A gateway to whose demo phone somebody has written."""
    data_dir = Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
    with running(data_dir) as started:
        started.cli("sandbox", "say", "+15550100001", "Is it ready?")
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as started:
        yield started


def say(page: Page, program: Program, person: str, text: str) -> None:
    """Somebody writes; done when the gateway has it."""
    program.cli("sandbox", "say", person, text)
    wait_for(page, text)


def wait_for(page: Page, text: str) -> None:
    """Until the gateway's list has it, whatever the page shows."""
    address, until = (
        f"{page.url.partition('/inbox')[0]}/inbox/list",
        time.monotonic() + SLOWEST / 1000,
    )
    while text not in page.request.get(address).text():
        assert time.monotonic() < until, "the message did not arrive"


@pytest.fixture(scope="module")
def signed_in(browser: Browser, program: Program) -> Iterator[BrowserContext]:
    """Where the demo's owner is signed in, and what the gateway tells is the test's to tell."""
    with browser.new_context(base_url=program.demo["base_url"]) as context:
        context.add_init_script(STAGE)
        sign_in(context, program).close()
        yield context


@pytest.fixture
def inbox(signed_in: BrowserContext) -> Iterator[Page]:
    """The list; pages that a test opens beside it are closed with it."""
    yield open_inbox(signed_in)
    for page in signed_in.pages:
        page.close()


@pytest.fixture
def inbox_apart(
    browser: Browser, program: Program, signed_in: BrowserContext, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """The list in a browser with the same cookies, whose scripts a test may take away."""
    with browser.new_context(
        base_url=program.demo["base_url"],
        java_script_enabled=getattr(request, "param", True),
        storage_state=signed_in.storage_state(),
    ) as context:
        context.add_init_script(STAGE)
        yield open_inbox(context)


@pytest.fixture
def told(browser: Browser, program: Program) -> Iterator[Page]:
    """The list, as the gateway itself tells it what happens; in a session of its own."""
    with browser.new_context(base_url=program.demo["base_url"]) as context:
        yield sign_in(context, program)


def sign_in(context: BrowserContext, program: Program) -> Page:
    """The list, once it shows that somebody has written."""
    context.set_default_timeout(SLOWEST)
    page = context.new_page()
    page.goto("/dashboard")
    page.get_by_role("link", name="Sign in on this machine").click()
    page.get_by_label("Sign-in code").fill(program.sign_in_code)
    page.get_by_label("E-mail address").fill("ada@example.com")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("navigation").get_by_role("link", name="Inbox").click()
    wait_for(page, "Demo phone")
    page.reload()
    return page


def open_inbox(context: BrowserContext) -> Page:
    context.set_default_timeout(SLOWEST)
    page = context.new_page()
    page.goto("/dashboard")
    page.get_by_role("navigation").get_by_role("link", name="Inbox").click()
    expect(page.locator(".conversations .who").first).to_be_visible()
    return page


def sign_out(context: BrowserContext) -> None:
    """In another tab."""
    other = context.new_page()
    other.goto("/dashboard")
    other.locator(".person summary").click()
    other.get_by_role("button", name="Sign out").click()
    expect(other).to_have_url(re.compile("/sign-in"))


def open_first(page: Page) -> str:
    """Open the conversation at the top; its id."""
    page.locator(".conversations .who").first.click()
    expect(page.get_by_label("Your answer")).to_be_visible()
    return page.url.rpartition("/")[2]


def test_the_list_is_live_and_a_burst_is_one_fetch(inbox: Page, program: Program) -> None:
    fetched: list[str] = []
    inbox.on("request", lambda made: fetched.append(made.url))
    say(inbox, program, "+15550100002", "Somebody new")
    inbox.evaluate("for (let n = 0; n < 50; n++) speak('x')")
    expect(inbox.get_by_text("Somebody new")).to_be_visible()
    assert [each.rpartition("/inbox/")[2] for each in fetched if "/inbox/" in each] == ["list"]


def test_a_page_follows_its_reader_who_signs_out_in_another_tab(told: Page) -> None:
    sign_out(told.context)
    expect(told).to_have_url(re.compile("/sign-in"))


def test_what_somebody_is_writing_is_not_lost_to_a_sign_out_in_another_tab(told: Page) -> None:
    open_first(told)
    answer = told.get_by_label("Your answer")
    answer.fill("Half a sentence")
    ended: list[str] = []
    for how in ("requestfinished", "requestfailed"):
        told.on(how, lambda made: ended.append(made.url))
    sign_out(told.context)
    until = time.monotonic() + SLOWEST / 1000
    while not any("/live?" in each for each in ended):
        assert time.monotonic() < until, "the page still listens"
        told.wait_for_timeout(50)
    expect(answer).to_have_value("Half a sentence")


def test_the_list_follows_what_is_typed(inbox: Page) -> None:
    inbox.get_by_label("Search").fill("nobody is called that")
    expect(inbox.get_by_text("No conversation matches")).to_be_visible()
    assert inbox.url.endswith("?q=nobody+is+called+that")
    inbox.evaluate("speak('x')")
    expect(inbox.get_by_label("Search")).to_have_value("nobody is called that")


def test_a_thread_is_live_and_leaves_what_a_person_does(inbox: Page, program: Program) -> None:
    conversation_id = open_first(inbox)
    answer, timeline = inbox.get_by_label("Your answer"), inbox.locator(".timeline").first
    timeline.locator("summary").click()
    answer.fill("Half a sen")
    inbox.evaluate("document.querySelector('.bubble').dataset.old = ''")
    person = inbox.locator("dd code").inner_text()
    say(inbox, program, person, "Are you there?")
    inbox.evaluate("speak('another conversation')")
    inbox.evaluate("id => speak(id)", conversation_id)
    expect(inbox.locator(".bubble").get_by_text("Are you there?")).to_be_visible()
    assert inbox.locator(".bubble[data-old]").count() == 0, "the messages were fetched again"
    expect(timeline).to_have_attribute("open", "")
    expect(answer).to_have_value("Half a sen")
    expect(answer).to_be_focused()


def test_the_panel_is_live_and_leaves_what_a_person_chooses(inbox: Page) -> None:
    conversation_id = open_first(inbox)
    colleague = inbox.context.new_page()
    colleague.goto(inbox.url)
    inbox.get_by_label("Your answer").fill("Half a sen")
    colleague.get_by_role("button", name="Pause").click()
    colleague.get_by_role("button", name="Close").click()
    inbox.evaluate("id => speak(id, 'conversations')", conversation_id)
    expect(inbox.get_by_role("button", name="Reopen")).to_be_visible()
    expect(inbox.get_by_text("The agent is paused here")).to_be_visible()
    expect(inbox.get_by_label("Your answer")).to_be_focused()
    inbox.get_by_label("Assignee").focus()
    inbox.get_by_label("Assignee").select_option(label="ada@example.com (you)")
    colleague.get_by_role("button", name="Reopen").click()
    with inbox.expect_response(lambda answer: answer.url.endswith("/panel")):
        inbox.evaluate("id => speak(id, 'conversations')", conversation_id)
    expect(inbox.get_by_role("button", name="Reopen")).to_be_visible()
    assert inbox.get_by_label("Assignee").input_value() != ""
    inbox.get_by_label("Your answer").focus()
    expect(inbox.get_by_role("button", name="Close")).to_be_visible()
    colleague.get_by_role("button", name="Resume").click()
    expect(colleague.get_by_role("button", name="Pause")).to_be_visible()  # not closed on its way
    colleague.close()


def test_whose_session_ends_keeps_what_was_typed(inbox_apart: Page) -> None:
    conversation_id = open_first(inbox_apart)
    inbox_apart.get_by_label("Your answer").fill("Half a sen")
    inbox_apart.context.clear_cookies()
    with inbox_apart.expect_response(lambda answer: answer.status == 401):
        inbox_apart.evaluate("id => speak(id)", conversation_id)
    expect(inbox_apart.get_by_label("Your answer")).to_have_value("Half a sen")
    expect(inbox_apart.locator(".bubble").first).to_be_visible()
    inbox_apart.get_by_label("Your answer").fill("")
    inbox_apart.evaluate("id => speak(id)", conversation_id)
    expect(inbox_apart.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("inbox_apart", [False], indirect=True, ids=["no scripts"])
def test_everything_works_without_scripts(inbox_apart: Page) -> None:
    inbox_apart.get_by_label("Assignee").select_option("nobody")
    inbox_apart.get_by_role("button", name="Find").click()
    open_first(inbox_apart)
    inbox_apart.get_by_label("Your answer").fill("Yes, it is")
    inbox_apart.get_by_role("button", name="Send", exact=True).click()
    expect(inbox_apart.locator(".bubble.outbound").get_by_text("Yes, it is")).to_be_visible()
    expect(inbox_apart.get_by_text("The agent is paused here")).to_be_visible()
    inbox_apart.get_by_role("button", name="Resume").click()
    inbox_apart.get_by_role("button", name="Pin").click()
    expect(inbox_apart.get_by_role("button", name="Unpin")).to_be_visible()


def test_nothing_keeps_anybody_out(inbox: Page) -> None:
    """What axe-core finds in the list, a thread and the labels, light and dark; and nothing wider
    than a phone."""
    inbox.set_viewport_size(NARROW)  # type: ignore[arg-type]  # width and height
    said: list[str] = []
    inbox.on("console", lambda message: said.append(message.text))
    start = inbox.url
    open_first(inbox)
    for address in (start, inbox.url, f"{start}/labels"):
        inbox.goto(address)
        for hidden in inbox.locator("details:not(.menu) > summary").all():
            hidden.click()
        examine(inbox)
        assert inbox.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert [text for text in said if "Content Security Policy" in text] == []
