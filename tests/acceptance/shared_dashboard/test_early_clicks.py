"""What people do before a page's scripts have arrived takes effect, and once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request, Route, expect

from acceptance.dashboard_pages import leave_for, until_ready
from acceptance.running_program import Program

pytestmark = pytest.mark.firefox_too


@dataclass
class SlowPage:
    """A page whose scripts, and those of the pages that it leads to, are on their way."""

    page: Page
    held: list[Route] = field(default_factory=list)
    are_here: bool = False
    posted: list[str] = field(default_factory=list)

    def open(self, address: str) -> Page:
        self.page.set_viewport_size({"width": 1440, "height": 900})
        self.page.route("**/*.js", self._hold)
        self.page.on("request", self._note)
        self.page.goto(address, wait_until="commit")
        return self.page

    def _hold(self, route: Route) -> None:
        if self.are_here:
            route.continue_()
        else:
            self.held.append(route)

    def _note(self, request: Request) -> None:
        if request.method == "POST":
            self.posted.append(request.url.partition("?")[0].rpartition("/")[2])

    def scripts_arrive(self) -> None:
        assert self.page.evaluate("document.documentElement.dataset.ready") is None
        self.are_here = True
        for route in self.held:
            route.continue_()
        until_ready(self.page)


@pytest.fixture
def slow(signed_in: BrowserContext) -> Iterator[SlowPage]:
    slow = SlowPage(signed_in.new_page())
    yield slow
    slow.page.close()


@pytest.fixture(scope="package")
def home(program: Program) -> str:
    return f"/dashboard/{program.demo['organization_id']}"


@pytest.fixture(scope="package")
def thread(program: Program, home: str) -> str:
    """The address of a conversation."""
    sent = program.wait_for_status(program.send("+15550100021"), "read")
    return f"{home}/inbox/{sent['conversation_id']}"


def assignee_of(page: Page) -> Locator:
    return page.locator("#panel").get_by_label("Assignee")


def test_a_choice_is_saved_when_they_arrive(slow: SlowPage, thread: str) -> None:
    page = slow.open(thread)
    before = assignee_of(page).input_value()
    with page.expect_navigation(wait_until="commit"):
        assignee_of(page).select_option(index=0 if before else 1)
        slow.scripts_arrive()
    expect(assignee_of(page)).not_to_have_value(before)
    assert slow.posted == ["assign"]


def test_a_choice_is_saved_by_its_button(slow: SlowPage, thread: str) -> None:
    page = slow.open(thread)
    before = assignee_of(page).input_value()
    assignee_of(page).select_option(index=0 if before else 1)
    with page.expect_navigation(wait_until="commit"):
        page.get_by_role("button", name="Assign").click()
    slow.scripts_arrive()
    expect(assignee_of(page)).not_to_have_value(before)
    expect(page.get_by_role("button", name="Assign")).to_be_hidden()
    assert slow.posted == ["assign"]


def test_an_answer_is_sent(slow: SlowPage, thread: str, program: Program) -> None:
    page, text = slow.open(thread), f"It is ready: {uuid4()}"
    page.get_by_label("Your answer").fill(text)
    page.get_by_role("button", name="Send", exact=True).click()
    sent = page.locator(".bubble.outbound").get_by_text(text)
    expect(sent).to_be_visible()
    slow.scripts_arrive()
    expect(sent).to_have_count(1)
    expect(page.get_by_label("Your answer")).to_have_value("")
    messages = program.get("/api/v1/messages")["messages"]
    assert [each["content"] for each in messages].count(text) == 1


def test_what_was_typed_is_kept(slow: SlowPage, thread: str) -> None:
    page = slow.open(thread)
    page.get_by_label("Your answer").fill("Half a sentence")
    slow.scripts_arrive()
    page.reload()
    expect(page.get_by_label("Your answer")).to_have_value("Half a sentence")
    page.get_by_label("Your answer").fill("")


def test_what_was_searched_for_is_found(slow: SlowPage, home: str) -> None:
    page = slow.open(f"{home}/inbox")
    page.get_by_label("Search").fill("nobody is called that")
    slow.scripts_arrive()
    expect(page.get_by_text("No conversation matches")).to_be_visible()
    expect(page.get_by_label("Search")).to_have_value("nobody is called that")


def test_a_dialog_opens_and_is_left_where_somebody_writes(slow: SlowPage, home: str) -> None:
    page, name = slow.open(f"{home}/developers/keys"), f"Early {uuid4()}"
    page.get_by_role("link", name="New key").click()
    dialog = page.get_by_role("dialog", name="New key")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("messages:read").check()
    slow.scripts_arrive()
    assert dialog.evaluate("dialog => dialog.matches(':modal')")
    expect(dialog.get_by_label("Name")).to_have_value(name)
    expect(dialog.get_by_label("messages:read")).to_be_focused()
    dialog.get_by_role("button", name="Make the key").click()
    expect(page.get_by_label("API key")).to_be_visible()
    leave_for(page, f"{home}/developers/keys")
    expect(page.get_by_role("cell", name=name)).to_have_count(1)
    assert slow.posted == ["keys"]


def test_an_operation_is_chosen(slow: SlowPage, home: str) -> None:
    page = slow.open(f"{home}/developers/try")
    page.get_by_label("Operation").select_option("sendButtonMessage")
    slow.scripts_arrive()
    expect(page.locator(".request-line")).to_contain_text("/messages/send/interactive/buttons")


def test_a_button_of_a_virtual_phone_is_pressed(
    slow: SlowPage, home: str, program: Program
) -> None:
    text = f"Shall we come early? {uuid4()}"
    program.wait_for_status(program.send(text=text), "read")
    page = slow.open(f"{home}/phone/{program.account_id}")
    asked = page.locator(".bubble").filter(has_text=text)
    expect(asked).to_be_visible()
    pressed = page.get_by_text("pressed Yes", exact=True).count()
    asked.get_by_role("button", name="Yes").click()
    expect(asked.get_by_role("button", name="pressed: Yes")).to_be_visible()
    slow.scripts_arrive()
    expect(page.get_by_text("pressed Yes", exact=True)).to_have_count(pressed + 1)
    assert slow.posted == ["press"]
