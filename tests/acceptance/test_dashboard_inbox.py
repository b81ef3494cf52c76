"""The dashboard's inbox in a real browser: live with scripts, and whole without them."""

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, ViewportSize, expect

from acceptance.dashboard_pages import (
    go,
    make_canned_reply,
    open_form,
    sign_in_here,
    until_ready,
    visit,
)
from acceptance.dashboard_pages import sign_in as sign_in_at
from acceptance.running_program import Program, running
from browser import SLOWEST

WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 380, "height": 760}

# What the gateway would tell, told by the test: `speak` is news of a conversation.
STAGE = """
const sources = [];
window.EventSource = class extends EventTarget {
  constructor() {
    super();
    this.readyState = 1;
    sources.push(this);
    document.dispatchEvent(new Event("live"));
  }
  close() { this.readyState = 2; }
};
window.EventSource.CLOSED = 2;
window.speak = (said, kind = "messages") => {
  sources.at(-1).dispatchEvent(new MessageEvent(kind, { data: said }));
};
"""


@pytest.fixture(scope="module")
def program(reachable_dir: Path, browser_name: str) -> Iterator[Program]:
    """A gateway to whose demo phone somebody has written; one for each browser."""
    data_dir = Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"
    with running(data_dir) as started:
        started.cli("sandbox", "say", "+15550100001", "Is it ready?")
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
    with browser.new_context(base_url=program.demo["base_url"], viewport=WIDE) as context:
        context.add_init_script(STAGE)
        sign_in(context, program).close()
        yield context


@pytest.fixture
def inbox(signed_in: BrowserContext, program: Program) -> Iterator[Page]:
    """The list; pages that a test opens beside it are closed with it."""
    yield open_inbox(signed_in, program)
    for page in signed_in.pages:
        page.close()


@pytest.fixture
def inbox_apart(
    browser: Browser, program: Program, signed_in: BrowserContext, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """The list in a browser with the same cookies, whose scripts a test may take away."""
    with browser.new_context(
        java_script_enabled=getattr(request, "param", True),
        base_url=program.demo["base_url"],
        viewport=WIDE,
        storage_state=signed_in.storage_state(),
    ) as context:
        context.add_init_script(STAGE)
        yield open_inbox(context, program)


@pytest.fixture
def told(browser: Browser, program: Program) -> Iterator[Page]:
    """The list, as the gateway itself tells it what happens; in a session of its own."""
    with browser.new_context(base_url=program.demo["base_url"]) as context:
        yield sign_in(context, program)


def sign_in(context: BrowserContext, program: Program) -> Page:
    """The list, once it shows that somebody has written."""
    context.set_default_timeout(SLOWEST)
    page = context.new_page()
    sign_in_at(page, program, "ada@example.com")
    go(page, "Inbox")
    wait_for(page, "Is it ready?")
    page.reload()
    return page


def open_inbox(context: BrowserContext, program: Program) -> Page:
    context.set_default_timeout(SLOWEST)
    page = context.new_page()
    visit(page, f"/dashboard/{program.demo['organization_id']}/inbox")
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
    until_ready(page)
    return page.url.rpartition("/")[2]


def test_the_list_is_live_and_a_burst_is_one_fetch(inbox: Page, program: Program) -> None:
    fetched: list[str] = []
    inbox.on("request", lambda made: fetched.append(made.url))
    say(inbox, program, "+15550100002", "Somebody new")
    inbox.evaluate("for (let n = 0; n < 50; n++) speak('x')")
    expect(inbox.get_by_text("Somebody new")).to_be_visible()
    assert [each.rpartition("/inbox/")[2] for each in fetched if "/inbox/" in each] == ["list"]


def test_a_message_is_chosen_while_news_are_being_fetched(inbox: Page) -> None:
    open_first(inbox)
    held: list[Route] = []
    inbox.route("**/messages", lambda route: held.append(route))
    inbox.evaluate("speak('')")
    expect(inbox.locator("#messages.htmx-request")).to_be_attached()
    inbox.get_by_role("link", name="Answer, react or change").last.click()
    inbox.evaluate("htmx.trigger(document.body, 'news')")
    for route in held:
        route.continue_()
    inbox.unroute("**/messages")
    expect(inbox.locator("#selected")).to_be_visible()


@pytest.mark.firefox_too
def test_a_page_follows_its_reader_who_signs_out_in_another_tab(told: Page) -> None:
    sign_out(told.context)
    expect(told).to_have_url(re.compile("/sign-in"))


def test_what_somebody_is_writing_is_not_lost_to_a_sign_out_in_another_tab(told: Page) -> None:
    open_first(told)
    answer = told.get_by_label("Your answer")
    answer.fill("Half a sentence")
    sign_out(told.context)
    expect(told.get_by_role("alert")).to_contain_text("You are signed out")
    expect(answer).to_have_value("Half a sentence")


@pytest.mark.firefox_too
def test_the_list_follows_what_is_typed(inbox: Page) -> None:
    inbox.get_by_label("Search").fill("nobody is called that")
    expect(inbox.get_by_text("No conversation matches")).to_be_visible()
    expect(inbox).to_have_url(re.compile(r"\?q=nobody\+is\+called\+that$"))
    inbox.evaluate("speak('x')")
    expect(inbox.get_by_label("Search")).to_have_value("nobody is called that")


@pytest.mark.firefox_too
def test_a_thread_is_live_and_leaves_what_a_person_does(inbox: Page, program: Program) -> None:
    conversation_id = open_first(inbox)
    answer, timeline = inbox.get_by_label("Your answer"), inbox.locator(".timeline").first
    timeline.locator("summary").click()
    answer.fill("Half a sen")
    inbox.evaluate("document.querySelector('.bubble').dataset.old = ''")
    person = inbox.locator("#panel .whom code").inner_text()
    say(inbox, program, person, "Are you there?")
    inbox.evaluate("speak('another conversation')")
    inbox.evaluate("id => speak(id)", conversation_id)
    expect(inbox.locator(".bubble").get_by_text("Are you there?")).to_be_visible()
    assert inbox.locator(".bubble[data-old]").count() == 0, "the messages were fetched again"
    expect(inbox.locator("li.open .preview").get_by_text("Are you there?")).to_be_visible()
    assert inbox.locator("li.open .count").count() == 0, "what is looked at is read"
    expect(timeline).to_have_attribute("open", "")
    expect(answer).to_have_value("Half a sen")
    expect(answer).to_be_focused()


def test_the_panel_is_live_and_leaves_what_a_person_chooses(inbox: Page) -> None:
    conversation_id = open_first(inbox)
    colleague = inbox.context.new_page()
    colleague.goto(inbox.url)
    inbox.get_by_label("Your answer").fill("Half a sen")
    do(colleague, "Pause the automation")
    press(colleague, "Close")
    inbox.evaluate("id => speak(id, 'conversations')", conversation_id)
    expect(inbox.get_by_role("button", name="Reopen")).to_be_visible()
    expect(inbox.get_by_text("people answer here")).to_be_visible()
    expect(inbox.get_by_text("The automation is paused here.")).to_be_visible()
    expect(inbox.get_by_label("Your answer")).to_be_focused()
    assignee = inbox.locator("#panel").get_by_label("Assignee")
    assignee.focus()  # somebody is about to choose
    press(colleague, "Reopen")
    with inbox.expect_response(lambda answer: answer.url.endswith("/panel")):
        inbox.evaluate("id => speak(id, 'conversations')", conversation_id)
    expect(inbox.get_by_role("button", name="Reopen")).to_be_visible()
    expect(assignee).to_be_focused()
    inbox.get_by_label("Your answer").focus()
    expect(inbox.get_by_role("button", name="Close", exact=True)).to_be_visible()
    do(colleague, "Resume the automation")
    expect(colleague.locator("#panel").get_by_text("answering pauses it")).to_be_visible()
    colleague.close()


@pytest.mark.firefox_too
def test_what_is_chosen_is_saved(inbox: Page) -> None:
    open_first(inbox)
    before = assignee_of(inbox).input_value()
    other = 0 if before else 1
    with inbox.expect_navigation():
        assignee_of(inbox).select_option(index=other)
    expect(assignee_of(inbox)).not_to_have_value(before)
    with inbox.expect_navigation():
        assignee_of(inbox).select_option(value=before)
    expect(assignee_of(inbox)).to_have_value(before)


def test_the_arrows_pass_over_choices_until_they_rest_or_enter_is_pressed(inbox: Page) -> None:
    open_first(inbox)
    before = assignee_of(inbox).input_value()
    there, back = ("ArrowUp", "ArrowDown") if before else ("ArrowDown", "ArrowUp")
    assignee_of(inbox).focus()
    with inbox.expect_navigation():
        assignee_of(inbox).press(there)
    expect(assignee_of(inbox)).not_to_have_value(before)
    assignee_of(inbox).focus()
    with inbox.expect_navigation():
        assignee_of(inbox).press(back)
        assignee_of(inbox).press("Enter")
    expect(assignee_of(inbox)).to_have_value(before)


def assignee_of(page: Page) -> Locator:
    return page.locator("#panel").get_by_label("Assignee")


GIVE = """
([place, kind]) => {
  const data = new DataTransfer();
  data.items.add(new File(["Opening hours"], "hours.txt", { type: "text/plain" }));
  const given = kind === "paste"
    ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(place).dispatchEvent(given);
  return given.defaultPrevented;
}
"""


@pytest.mark.parametrize(("place", "kind"), [(".scroller", "drop"), ("#text", "paste")])
def test_a_file_is_dropped_or_pasted(inbox: Page, place: str, kind: str) -> None:
    open_first(inbox)
    inbox.get_by_label("Your answer").fill(f"As {kind}ed")

    assert inbox.evaluate(GIVE, [place, kind])

    dialog = inbox.get_by_role("dialog", name="Send a file")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("Text under it")).to_have_value(f"As {kind}ed")
    with inbox.expect_navigation():
        dialog.get_by_role("button", name="Send the file").click()
    expect(inbox.locator(".bubble.outbound").last.get_by_text("hours.txt")).to_be_visible()


HEBREW = (
    "\u05e9\u05dc\u05d5\u05dd, \u05d0\u05d9\u05e4\u05d4 \u05d4\u05d4\u05d6\u05de\u05e0\u05d4 1234?"
)


def test_what_people_write_runs_the_way_it_is_written(inbox: Page, program: Program) -> None:
    say(inbox, program, "+15550100001", HEBREW)
    inbox.reload()
    open_first(inbox)  # that of who has just written
    said = inbox.locator(".bubble.inbound .said", has_text=HEBREW)
    assert said.evaluate("each => getComputedStyle(each).direction") == "rtl"
    number = inbox.locator("#panel .copyable code")
    assert number.evaluate("each => getComputedStyle(each).direction") == "ltr"
    inbox.get_by_label("Your answer").fill(HEBREW)
    answer = inbox.get_by_label("Your answer")
    assert answer.evaluate("each => getComputedStyle(each).direction") == "rtl"
    answer.fill("")


def press(page: Page, button: str) -> None:
    """Do something with the conversation as a whole, and wait until it is done."""
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


def do(page: Page, entry: str) -> None:
    page.locator("#thread-actions").get_by_label("More").click()
    press(page, entry)


@pytest.mark.firefox_too
def test_what_is_written_is_kept_until_it_is_sent(inbox: Page) -> None:
    open_first(inbox)
    answer = inbox.get_by_label("Your answer")
    answer.fill("Half a sen")
    inbox.reload()
    expect(answer).to_have_value("Half a sen")
    answer.fill("A whole sentence.")
    answer.press("Enter")
    expect(inbox.locator(".bubble.outbound").get_by_text("A whole sentence.")).to_be_visible()
    expect(answer).to_have_value("")
    expect(inbox).not_to_have_url(re.compile("sent="))
    expect(answer).to_be_focused()
    inbox.reload()
    expect(answer).to_have_value("")


@pytest.mark.firefox_too
def test_what_is_typed_while_an_answer_is_being_sent_is_the_next_one(inbox: Page) -> None:
    open_first(inbox)
    held: list[Route] = []
    inbox.route("**/answer*", lambda route: held.append(route), times=1)
    answer = inbox.get_by_label("Your answer")
    answer.fill("One moment please")
    with inbox.expect_request("**/answer*") as first:
        answer.press("Enter")
    inbox.keyboard.type("because it rains")
    inbox.keyboard.press("Enter")
    inbox.keyboard.type("up to")

    with inbox.expect_request(
        lambda each: each.url == first.value.url and each != first.value
    ) as second:
        held[0].continue_()
    assert second.value.response()  # leaving the page before it is taken would be asked about
    for text in ("One moment please", "because it rains"):
        expect(inbox.locator(".bubble.outbound").get_by_text(text, exact=True)).to_be_visible()
    expect(answer).to_have_value("up to")
    inbox.keyboard.type(" you")
    expect(answer).to_have_value("up to you")
    inbox.reload()
    expect(answer).to_have_value("up to you")
    answer.fill("")


@pytest.mark.firefox_too
def test_one_answer_quotes_what_was_chosen_and_the_next_does_not(inbox: Page) -> None:
    open_first(inbox)
    inbox.locator(".bubble").first.get_by_role("link", name="Answer, react or change").click()
    expect(inbox.locator("#selected")).to_be_visible()
    answer = inbox.get_by_label("Your answer")
    for text in ("To what was said", "And besides"):
        answer.fill(text)
        answer.press("Enter")
    sent = inbox.locator(".bubble.outbound")
    expect(sent.filter(has_text="To what was said").locator(".quote")).to_be_visible()
    expect(sent.filter(has_text="And besides").locator(".said")).to_be_visible()
    expect(sent.filter(has_text="And besides").locator(".quote")).to_have_count(0)
    expect(sent.filter(has_text="And besides")).to_be_in_viewport()
    expect(inbox.locator("#selected")).to_have_count(0)
    expect(inbox).not_to_have_url(re.compile("at="))


@pytest.mark.firefox_too
def test_an_answer_that_is_not_taken_is_given_back_with_what_was_typed_since(inbox: Page) -> None:
    open_first(inbox)
    held: list[Route] = []
    inbox.route("**/answer*", lambda route: held.append(route), times=1)
    answer = inbox.get_by_label("Your answer")
    answer.fill("The first")
    with inbox.expect_request("**/answer*"):
        answer.press("Enter")
    inbox.keyboard.type("the second")
    held[0].abort()
    expect(answer).to_have_value("The first\nthe second")
    expect(inbox.get_by_role("alert")).to_contain_text("This was not sent.")
    answer.press("Enter")
    sent = inbox.locator(".bubble.outbound").get_by_text("The first\nthe second")
    expect(sent).to_be_visible()
    expect(answer).to_have_value("")
    expect(inbox.get_by_role("alert")).to_have_count(0)


DIALOGS = {"File": "Text under it", "Buttons": "Text", "List": "Text"}
"""What opens each that a text is taken into, and what it is called there."""


def open_dialog(page: Page, name: str) -> Locator:
    """The field for the text in a dialog."""
    if name == "List":
        page.locator("#form-text summary").click()
    open_form(page, name)
    return page.get_by_role("dialog").get_by_role("textbox", name=re.compile(f"^{DIALOGS[name]}"))


@pytest.mark.firefox_too
def test_a_dialog_goes_on_with_what_was_typed(inbox: Page, tmp_path: Path) -> None:
    open_first(inbox)
    answer, dialog = inbox.get_by_label("Your answer"), inbox.get_by_role("dialog")
    for name in DIALOGS:
        answer.fill(f"As a {name}")
        expect(open_dialog(inbox, name)).to_have_value(f"As a {name}")
        dialog.get_by_role("link", name="Cancel").click()
        expect(answer).to_have_value(f"As a {name}")
    expect(open_dialog(inbox, "Buttons")).to_have_value("As a List")
    inbox.reload()
    answer.fill("A picture")
    for name in ("Buttons", "File"):
        expect(open_dialog(inbox, name)).to_have_value("A picture")
        dialog.get_by_role("link", name="Cancel").click()
    caption = open_dialog(inbox, "File")
    expect(caption).to_have_value("A picture")
    caption.fill("A picture of it")
    dialog.get_by_role("button", name="Close").click()
    expect(open_dialog(inbox, "File")).to_have_value("A picture of it")
    inbox.reload()
    expect(answer).to_have_value("A picture")
    expect(open_dialog(inbox, "File")).to_have_value("A picture of it")
    picture = tmp_path / "picture.txt"
    picture.write_text("a picture")
    inbox.locator("input[type=file]").set_input_files(picture)
    press(inbox, "Send the file")
    expect(inbox.locator(".bubble.outbound").get_by_text("A picture of it")).to_be_visible()
    expect(answer).to_have_value("")
    inbox.reload()
    expect(answer).to_have_value("")
    expect(open_dialog(inbox, "File")).to_have_value("")


@pytest.mark.firefox_too
def test_a_text_stays_until_what_it_was_taken_into_is_sent(inbox: Page) -> None:
    open_first(inbox)
    answer, dialog = inbox.get_by_label("Your answer"), inbox.get_by_role("dialog")
    answer.fill("Which day?")
    expect(open_dialog(inbox, "List")).to_have_value("Which day?")
    dialog.get_by_label("Button that opens the list").fill("Days")
    rows = dialog.get_by_label("Rows, one per line")
    rows.fill("Tuesday\n| from nine")
    press(inbox, "Send the list")
    expect(dialog.get_by_text("Row 2 “| from nine”, title: It is empty.")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Text", exact=True)).to_have_value("Which day?")
    expect(answer).to_have_value("Which day?")
    rows.fill("Tuesday\nWednesday | from nine")
    press(inbox, "Send the list")
    expect(inbox.locator(".bubble.outbound").get_by_text("Which day?")).to_be_visible()
    expect(answer).to_have_value("")


def test_a_text_that_was_not_sent_with_a_dialog_stays(inbox: Page) -> None:
    open_first(inbox)
    answer, dialog = inbox.get_by_label("Your answer"), inbox.get_by_role("dialog")
    answer.fill("Half a sen")
    open_dialog(inbox, "Buttons").fill("Is noon too late?")
    dialog.get_by_role("link", name="Cancel").click()
    answer.fill("Half a sentence")
    expect(open_dialog(inbox, "Buttons")).to_have_value("Is noon too late?")
    dialog.get_by_label("Title of button 1").fill("Yes")
    press(inbox, "Send with buttons")
    expect(inbox.locator(".bubble.outbound").get_by_text("Is noon too late?")).to_be_visible()
    expect(answer).to_have_value("Half a sentence")
    answer.fill("")


@pytest.mark.firefox_too
def test_what_is_too_long_is_neither_cut_nor_sent(inbox: Page, tmp_path: Path) -> None:
    open_first(inbox)
    answer = inbox.get_by_label("Your answer")
    answer.fill("so " * 1370)
    expect(inbox.get_by_text("4,110 of 4,096 characters")).to_be_visible()
    answer.press("Enter")
    assert answer.evaluate("field => field.validationMessage") == "Shorten it by 14 characters."
    answer.fill("It is.")
    expect(inbox.get_by_text("of 4,096 characters")).to_have_count(0)
    film = tmp_path / "film.mp4"
    film.write_bytes(bytes(17 * 2**20))
    open_form(inbox, "File")
    chosen = inbox.locator("input[type=file]")
    chosen.set_input_files(film)
    said = chosen.evaluate("field => field.validationMessage")
    assert said == "“film.mp4” has 17.0 MiB; the limit is 16 MiB."


def test_a_shortcut_is_its_canned_reply(inbox: Page) -> None:
    make_canned_reply(inbox, "hello", "Hello {name}, how can we help?")
    go(inbox, "Inbox")
    name = inbox.locator(".conversations .who").first.inner_text()
    open_first(inbox)
    answer = inbox.get_by_label("Your answer")
    answer.fill("")
    answer.press_sequentially("/hel")
    expect(inbox.get_by_role("option", name="/hello")).to_be_visible()
    answer.press("Enter")
    expect(answer).to_have_value(f"Hello {name}, how can we help?")
    expect(inbox.get_by_role("listbox")).to_have_count(0)
    answer.fill("")
    answer.fill("Good day.")
    inbox.locator(".composer summary").filter(has_text="More").click()
    inbox.locator("[data-offers-canned]").click()
    expect(inbox.get_by_role("option", name="/hello")).to_be_visible()
    inbox.keyboard.press("Enter")
    expect(answer).to_have_value(f"Good day. Hello {name}, how can we help?")
    answer.fill("")


def test_a_shortcut_is_found_without_its_accents(inbox: Page) -> None:
    make_canned_reply(inbox, "größe", "We have all sizes.")
    make_canned_reply(inbox, "สวัสดี", "Hello")
    go(inbox, "Inbox")
    open_first(inbox)
    answer = inbox.get_by_label("Your answer")
    for typed, shortcut in (("/gross", "/größe"), ("/GRÖSSE", "/größe"), ("/สวัส", "/สวัสดี")):
        answer.fill("")
        answer.press_sequentially(typed)
        expect(inbox.get_by_role("option", name=shortcut)).to_be_visible()
    answer.fill("")


def test_a_phone_shows_one_pane_at_a_time(inbox: Page) -> None:
    inbox.set_viewport_size(NARROW)
    conversations, about = inbox.get_by_label("Conversations"), inbox.locator("#about")
    open_first(inbox)
    expect(conversations).to_be_hidden()
    expect(about).to_be_hidden()
    inbox.get_by_role("link", name="About this person").click()
    expect(about.get_by_label("Assignee")).to_be_visible()
    about.get_by_role("link", name="Back to the conversation").click()
    expect(about).to_be_hidden()
    inbox.get_by_role("link", name="Back to the list").click()
    expect(conversations).to_be_visible()


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


@pytest.mark.firefox_too
def test_an_answer_of_who_was_signed_out_is_kept_and_sent_once(
    inbox_apart: Page, program: Program
) -> None:
    """Whoever signs in again is where it was written."""
    open_first(inbox_apart)
    answer = inbox_apart.get_by_label("Your answer")
    answer.fill("I shall look it up")
    inbox_apart.context.clear_cookies()
    answer.press("Enter")
    sign_in_here(inbox_apart, program, "ada@example.com")
    expect(answer).to_have_value("I shall look it up")
    until_ready(inbox_apart)
    answer.press("Enter")
    expect(inbox_apart.locator(".bubble").get_by_text("I shall look it up")).to_be_visible()
    expect(answer).to_have_value("")
    messages = program.get("/api/v1/messages")["messages"]
    assert [each["content"] for each in messages].count("I shall look it up") == 1


@pytest.mark.parametrize("inbox_apart", [False], indirect=True, ids=["no scripts"])
def test_everything_works_without_scripts(inbox_apart: Page, program: Program) -> None:
    say(inbox_apart, program, "+15550100004", "Is anybody there?")
    inbox_apart.get_by_label("Filter").click()
    inbox_apart.get_by_label("Assignee").select_option("nobody")
    inbox_apart.get_by_role("button", name="Filter").click()
    open_first(inbox_apart)
    inbox_apart.get_by_label("Your answer").fill("Yes, it is")
    inbox_apart.get_by_role("button", name="Send", exact=True).click()
    expect(inbox_apart.locator(".bubble.outbound").get_by_text("Yes, it is")).to_be_visible()
    expect(inbox_apart.get_by_text("The automation is paused here")).to_be_visible()
    do(inbox_apart, "Resume the automation")
    expect(inbox_apart.get_by_text("answering pauses it")).to_be_visible()
    do(inbox_apart, "Pin to the top")
    do(inbox_apart, "Unpin")
    inbox_apart.get_by_role("link", name="Buttons").click()
    inbox_apart.locator("#send-buttons [name=body]").fill("Shall we come?")
    inbox_apart.get_by_label("Title of button 1").fill("Please do")
    inbox_apart.get_by_role("button", name="Send with buttons").click()
    sent = inbox_apart.locator(".bubble.outbound").filter(has_text="Shall we come?")
    expect(sent.get_by_text("Please do")).to_be_visible()
    inbox_apart.goto(inbox_apart.url.partition("?")[0])
    sent.get_by_role("link", name="Answer, react or change").click()
    inbox_apart.get_by_role("link", name="Delete").click()
    expect(inbox_apart.get_by_role("button", name="Delete for everyone")).to_be_visible()
