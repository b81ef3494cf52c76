"""What people come to the dashboard for, from the first page to the last: on a desk and a phone."""

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from acceptance.dashboard_pages import go, leave_for, open_form
from acceptance.hook_receiver import receiving_hooks
from acceptance.running_program import Program, wait_for
from media_scene import PNG

WIDTHS: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
NOBODY = "+15550109001"
"""Not on the network, so that what is sent there fails at once."""
NEW_PEOPLE = (f"+1555010{number}" for number in itertools.count(1000))
"""To each of whom no test has written, nor the same test when it is run a second time."""
GIVE_UP = """
WITH given_up AS (DELETE FROM delivery_queue WHERE webhook_id = $1)
UPDATE deliveries SET status = 'failed', next_attempt_at = NULL WHERE webhook_id = $1 RETURNING id
"""
"""What comes of deliveries after days of retries, which no test waits for."""


@pytest.fixture(params=WIDTHS)
def page(signed_in: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The overview, at each width."""
    page = signed_in.new_page()
    page.set_viewport_size(WIDTHS[request.param])
    page.goto("/dashboard")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    yield page
    page.close()


def test_what_failed_is_found_and_sent_again(page: Page, program: Program) -> None:
    program.wait_for_status(program.send(NOBODY, text="Is this your number?"), "failed")
    page.get_by_role("link", name=re.compile("failed today")).click()
    expect(page.get_by_label("Status")).to_have_value("failed")
    page.locator("#messages").get_by_role("link", name="Is this your number?").first.click()
    expect(page.get_by_label("Timeline").get_by_text("failed")).to_be_visible()
    first = page.url
    page.get_by_role("button", name="Send again").click()
    expect(page).not_to_have_url(first)
    expect(page.get_by_role("status").get_by_text("It is being sent again.")).to_be_visible()
    expect(page.get_by_text("Is this your number?")).to_be_visible()


def test_messages_are_found_and_taken_along(page: Page, program: Program) -> None:
    program.wait_for_status(program.send(text="=1+1 is two"), "read")
    go(page, "Messages")
    page.get_by_label("Direction").select_option("sent by us")
    page.get_by_label("Status").select_option("read")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#messages").get_by_text("=1+1 is two").first).to_be_visible()
    said = {}
    for name in ("As CSV", "As JSON lines"):
        page.get_by_label("Export").click()
        address = page.get_by_role("link", name=name).get_attribute("href")
        page.keyboard.press("Escape")
        said[name] = page.request.get(str(address)).text()
    rows = list(csv.DictReader(io.StringIO(said["As CSV"].removeprefix("\ufeff"))))
    lines = [json.loads(line) for line in said["As JSON lines"].splitlines()]
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert {row["status"] for row in rows} == {"read"}
    assert any(row["content"].startswith("'=1+1") for row in rows), "a formula for a spreadsheet"


def test_a_webhook_that_is_gone_gets_what_it_missed(page: Page, program: Program) -> None:
    """It has a filter, batches and a header of its own."""
    with receiving_hooks() as receiver:
        receiver.status = 410
        go(page, "Webhooks")
        open_form(page, "Add a webhook")
        page.get_by_label("URL").fill(receiver.url)
        page.get_by_label("message.*").check()
        page.get_by_text("Filter, batches and headers").click()
        page.get_by_label("Demo phone").check()
        page.get_by_label("Events per request").fill("5")
        page.get_by_label("Wait for more events").fill("50")
        page.get_by_label("Custom headers").fill("X-Shop: 7")
        page.get_by_role("button", name="Add the webhook").click()
        expect(page.get_by_text("Up to 5 events in a request")).to_be_visible()
        webhook = page.url.partition("?")[0]
        program.send(text="Are you there?")
        wait_for(lambda: receiver.hooks)
        receiver.status = 200
        leave_for(page, webhook.partition("/developers")[0])
        troubles = page.get_by_role("region", name="Needs attention")
        gone = troubles.get_by_role("link", name=receiver.url)
        wait_for(lambda: page.reload() and gone.is_visible(), every=0.5)
        gone.click()
        assert program.rows(GIVE_UP, webhook.rpartition("/")[2])
        page.get_by_role("button", name="Enable").click()
        expect(page.get_by_role("button", name="Send a ping")).to_be_visible()
        go(page, "Deliveries")
        page.get_by_role("main").locator("[name=webhook]").first.select_option(receiver.url)
        page.locator("[name=status]").select_option("failed")
        page.get_by_role("button", name="Filter").click()
        missed = len(receiver.hooks)
        page.get_by_role("button", name="Send all failed again").click()
        expect(page.get_by_text("being sent again")).to_be_visible()
        wait_for(lambda: len(receiver.hooks) > missed)
        assert {hook.headers["x-shop"] for hook in receiver.hooks} == {"7"}
        leave_for(page, webhook)
        page.get_by_label("More about this webhook").click()
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete").click()


def test_a_request_is_tried(page: Page) -> None:
    go(page, "Try a request")
    with page.expect_navigation():
        page.get_by_label("Operation").select_option("sendButtonMessage")
    expect(page.locator(".request-line")).to_contain_text("/messages/send/interactive/buttons")
    body = json.loads(page.get_by_label("Body (JSON)").input_value())
    page.get_by_label("Body (JSON)").fill(
        json.dumps(body | {"phone_number": "+15550100007", "body": "Tried from the page"})
    )
    page.get_by_role("button", name="Send the request").click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer.get_by_text("200 OK")).to_be_visible()
    command = page.get_by_role("textbox", name="The same from a shell")
    expect(command).to_have_value(re.compile("HELIOGRAPH_API"))


def test_the_statistics_are_those_of_the_api(page: Page, program: Program) -> None:
    go(page, "Statistics")
    page.get_by_role("link", name="7 days").click()
    figures = page.get_by_role("region", name="Figures")

    def shows_what_is_counted() -> bool:
        counted = program.get("/api/v1/messages/stats/summary")["last_7_days"]
        page.reload()
        outgoing, received, *_ = figures.locator(".tile strong").all_inner_texts()
        return bool(int(outgoing) + int(received) == counted > 0)

    wait_for(shows_what_is_counted, every=0.5)


@pytest.mark.firefox_too
def test_a_conversation_of_all_kinds(page: Page, program: Program) -> None:
    """Begun with buttons, which are pressed; a picture, a reaction, a quote, an edit, and none."""
    person = next(NEW_PEOPLE)
    go(page, "Inbox")
    page.get_by_role("link", name="New conversation").click()
    page.get_by_role("textbox", name="To").fill(person)
    page.get_by_role("button", name="Next").click()
    open_form(page, "Buttons")
    page.locator("#send-buttons [name=body]").fill("Shall we come tomorrow?")
    page.get_by_label("Title of button 1").fill("Please do")
    page.get_by_role("button", name="Send with buttons").click()
    expect(page.locator(".bubble.outbound").get_by_text("Shall we come tomorrow?")).to_be_visible()
    wait_for(lambda: "Please do" in program.cli("sandbox", "press", person, "Please do"))
    expect(page.locator(".bubble.inbound").get_by_text("Please do")).to_be_visible()
    open_form(page, "File")
    page.get_by_label("A picture, video").set_input_files(
        {"name": "cake.png", "mimeType": "image/png", "buffer": PNG}
    )
    page.get_by_role("button", name="Send the file").click()
    expect(page.get_by_role("img", name="cake.png")).to_be_visible()
    choose(page, ".bubble.inbound", "Please do")
    page.get_by_role("button", name="React with 👍").click()
    expect(page.locator(".bubble.inbound .reactions").get_by_text("👍")).to_be_visible()
    choose(page, ".bubble.inbound", "Please do")
    page.get_by_label("Your answer").fill("We will be there at nyne.")
    page.get_by_role("button", name="Send", exact=True).click()
    quoting = page.locator(".bubble.outbound").filter(has_text="nyne")
    expect(quoting.locator(".quote")).to_contain_text("Please do")
    choose(page, ".bubble.outbound", "nyne")
    open_form(page, "Edit")
    page.get_by_role("textbox", name="Text").fill("We will be there at nine.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".bubble.outbound").get_by_text("at nine.")).to_be_visible()
    choose(page, ".bubble.outbound", "at nine.")
    open_form(page, "Delete")
    page.get_by_role("button", name="Delete for everyone").click()
    expect(page.locator(".bubble").get_by_text("Deleted for everyone.")).to_be_visible()


def choose(page: Page, bubble: str, text: str) -> None:
    """Choose a message, to do something with it."""
    page.wait_for_load_state()  # Firefox goes nowhere while it is still arriving
    one = page.locator(bubble).filter(has_text=text).last
    one.hover()
    one.get_by_role("link", name="Answer, react or change").click()
    expect(page.locator("#selected")).to_be_visible()
