"""The dashboard in a real browser, on a running gateway of two nodes."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from acceptance.accessibility import examine, find_barriers
from acceptance.dashboard_pages import go, leave_for, open_form, sign_in
from acceptance.hook_receiver import receiving_hooks
from acceptance.running_program import Program, running, wait_for
from heliograph.faces.dashboard.app import PAGES

FILES = {
    "messages/export",
    "inbox/{conversation_id:uuid}/file/{message_id:uuid}",
    "phone/{account_id:uuid}/file/{message}",
}
"""What is no page to look at."""


@pytest.fixture(scope="module")
def program(data_dir: Path) -> Iterator[Program]:
    with running(data_dir, nodes="2") as started:
        yield started


@pytest.fixture
def owner(signed_in: BrowserContext) -> Iterator[Page]:
    """A page of the owner's, which shows the overview; pages that it opens are closed with it."""
    page = signed_in.new_page()
    page.goto("/dashboard")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    yield page
    for opened in signed_in.pages:
        opened.close()


def test_the_first_who_signs_in_owns_the_demo(owner: Page, program: Program) -> None:
    assert owner.url.endswith(f"/dashboard/{program.demo['organization_id']}")
    expect(owner.get_by_role("cell", name="Demo phone", exact=True)).to_be_visible()
    expect(owner.get_by_text("connected", exact=True)).to_be_visible()
    go(owner, "Members")
    expect(owner.get_by_role("cell", name="ada@example.com you")).to_be_visible()


def test_the_first_steps_lead_to_the_webhook_of_a_pressed_button(owner: Page) -> None:
    """With nothing but the pages: a try-out endpoint, a virtual phone, the inbox."""
    home = owner.url
    steps = owner.get_by_role("region", name="First steps")
    steps.get_by_role("link", name="Webhooks").click()
    owner.get_by_role("button", name="Add the try-out endpoint").click()
    expect(owner.get_by_role("button", name="Send a ping")).to_be_visible()
    leave_for(owner, home)
    with owner.context.expect_page() as window:
        steps.get_by_role("link", name="Virtual phone").click()
    phone = window.value
    phone.get_by_placeholder("Write as").fill("Do you deliver?")
    phone.keyboard.press("Enter")
    owner.goto(home)
    steps.get_by_role("link", name="Inbox").click()
    owner.get_by_role("link", name="Ada").click()
    open_form(owner, "Buttons")
    owner.locator("#send-buttons [name=body]").fill("Shall we come tomorrow?")
    owner.get_by_label("Title of button 1").fill("Please do")
    owner.get_by_role("button", name="Send with buttons").click()
    phone.get_by_role("button", name="Please do").click()
    rows = owner.get_by_role("row").filter(has_text="message.received")
    told = rows.get_by_role("cell", name="delivered", exact=True)
    deliveries = f"{home}/developers/deliveries"
    wait_for(lambda: owner.goto(deliveries) and told.count() == 2, 60, every=0.5)
    rows.first.get_by_role("link").first.click()
    expect(owner.get_by_text("Please do").first).to_be_visible()
    owner.goto(home)
    expect(steps).to_have_count(0)


@pytest.mark.usefixtures("signed_in")
def test_the_link_that_is_printed_signs_in_with_one_click(
    browser: Browser, program: Program
) -> None:
    """And the next one, printed after it was used, does so again."""
    for _ in range(2):
        wait_for(lambda: program.sign_in_code in program.printed)
        [*_, link] = re.findall(r"http://\S+login_hint=\S+", program.printed)
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(link)
            page.get_by_label("E-mail address").fill("dora@example.com")
            page.get_by_role("button", name="Sign in").click()
            expect(page.get_by_text("You don't belong to an organization yet")).to_be_visible()
    assert program.sign_in_code in program.cli("demo", "code")


def test_who_comes_later_belongs_nowhere_until_invited(
    owner: Page, browser: Browser, program: Program
) -> None:
    go(owner, "Members")
    open_form(owner, "Invite somebody")
    owner.get_by_label("E-mail address").fill("bob@example.com")
    owner.get_by_role("button", name="Invite", exact=True).click()
    link = owner.get_by_label("Send them this link").input_value()
    with browser.new_context() as other:
        bob = other.new_page()
        sign_in(bob, program, "bob@example.com", program.demo["base_url"] + "/dashboard")
        expect(bob.get_by_text("You don't belong to an organization yet")).to_be_visible()
        bob.goto(link)
        bob.get_by_role("button", name="Accept").click()
        expect(bob.get_by_role("heading", name="Inbox", level=1)).to_be_visible()
        areas = bob.get_by_role("navigation", name="Areas").get_by_role("link")
        assert [area.strip() for area in areas.all_inner_texts()] == [
            "Inbox",
            "Messages",
            "Labels",
            "Canned replies",
        ]
        bob.goto(owner.url)
        expect(bob.get_by_role("heading", name="Members", level=1)).to_be_visible()
        expect(bob.get_by_role("link", name="Invite somebody")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "refreshed", "pressed", "outcome"),
    [
        ("phone/{account_id}", "chat", ".choices button", "pressed No"),
        ("devices", "devices", "td a", "Recent history"),
        ("inbox", "conversations", "a.who", "Your answer"),
    ],
    ids=["phone", "devices", "inbox"],
)
def test_what_is_pressed_while_the_page_refreshes_is_clicked(
    owner: Page, program: Program, path: str, refreshed: str, pressed: str, outcome: str
) -> None:
    """A person holds the mouse button for a tenth of a second, and a page refreshes by itself
    every few seconds."""
    program.wait_for_status(program.send(text="Shall we come at noon?"), "read")
    owner.goto(f"{owner.url}/{path.format(account_id=program.account_id)}")
    owner.locator(pressed).last.hover()
    owner.mouse.down()
    owner.evaluate(
        """id => new Promise(done => {
               document.addEventListener(
                   "htmx:afterSwap", event => event.target.id === id && done());
               htmx.trigger(document.body, "read");  // the others refresh every few seconds
           })""",
        refreshed,
    )
    owner.mouse.up()
    expect(owner.get_by_text(outcome).last).to_be_visible()


def test_a_key_is_made_used_and_revoked(owner: Page, program: Program) -> None:
    go(owner, "API keys")
    open_form(owner, "New key")
    owner.get_by_label("Name").fill("Shop")
    owner.get_by_label("messages:read").check()
    owner.get_by_role("button", name="Make the key").click()
    key = owner.locator("input[readonly]").first.input_value()
    headers = {"Authorization": f"Bearer {key}"}
    statistics = program.demo["base_url"] + "/api/v1/messages/stats/summary"
    assert httpx.get(statistics, headers=headers).status_code == 200
    go(owner, "API keys")
    expect(owner.get_by_text(key)).to_have_count(0)
    owner.get_by_label("Change Shop").click()
    open_form(owner, "Revoke Shop")
    owner.get_by_role("button", name="Revoke this key").click()
    expect(owner.get_by_role("status").get_by_text("Revoked.")).to_be_visible()
    wait_for(lambda: httpx.get(statistics, headers=headers).status_code == 401)


@pytest.mark.usefixtures("signed_in")  # and so the demo's owner has signed in before
def test_signing_out_closes_every_page(browser: Browser, program: Program) -> None:
    with browser.new_context(base_url=program.demo["base_url"]) as context:
        leaving = context.new_page()
        sign_in(leaving, program, "ada@example.com")
        expect(leaving.get_by_role("heading", name="Overview")).to_be_visible()
        page = leaving.url
        leaving.get_by_text("ada@example.com").first.click()
        leaving.get_by_role("button", name="Sign out").click()
        expect(leaving.get_by_role("heading", name="Sign in")).to_be_visible()
        leaving.goto(page)
        expect(leaving.get_by_role("heading", name="Sign in")).to_be_visible()


def delivered_ping(owner: Page, home: str) -> dict[str, str]:
    """A webhook, and a delivery to it that was taken, with an answer."""
    owner.goto(f"{home}/developers/webhooks")
    with receiving_hooks(b"<b>Thank you</b>") as receiver:
        open_form(owner, "Add a webhook")
        owner.get_by_label("URL").fill(receiver.url)
        owner.get_by_label("everything").check()
        owner.get_by_role("button", name="Add the webhook").click()
        ping = owner.get_by_role("button", name="Send a ping")
        expect(ping).to_be_visible()  # only then is it the webhook's own page
        webhook_id = owner.url.rpartition("/")[2].partition("?")[0]
        ping.click()
        expect(owner.get_by_text("<b>Thank you</b>")).to_be_visible()
    return {"webhook_id": webhook_id, "delivery_id": owner.url.rpartition("/")[2]}


def group_chat(owner: Page, program: Program, phone: str) -> str:
    """The address of a group's chat on the phone, which the device has joined."""
    owner.goto(phone)
    owner.get_by_label("Subject").fill("Picnic")
    owner.get_by_role("button", name="Make an invite link").click()
    link = owner.get_by_label("Invite link").input_value()
    joining = {"session_name": program.demo["session_name"], "invite_link": link}
    assert program.ask("POST", "/api/v1/groups/join", json=joining).status_code == 200
    chats = owner.get_by_role("navigation", name="Chats")
    chats.get_by_role("link", name="Picnic").click()
    expect(owner.get_by_label("Write as Ada Abara")).to_be_visible()
    return owner.url


def list_addresses(owner: Page, program: Program) -> list[str]:
    home = owner.url
    message_id = program.send()
    program.wait_for_status(message_id, "read")
    owner.goto(f"{home}/inbox")
    thread = owner.locator("#conversations").get_by_role("link").first.get_attribute("href")
    values = {
        "account_id": program.account_id,
        "conversation_id": str(thread).rpartition("/")[2],
        "message_id": message_id,
        **delivered_ping(owner, home),
    }
    found = [
        group_chat(owner, program, f"{home}/phone/{program.account_id}"),
        f"{home}/inbox/new?device={program.account_id}&to=%2B4930123456",
        f"{home}/inbox/{values['conversation_id']}?at={message_id}",
        f"{home}/messages?q=nobody+has+said+this",
    ]
    for page in PAGES:
        names = re.findall(r"\{(\w+):uuid\}", page.path)
        is_whole = page.method == "GET" and page.path not in FILES and not page.is_part
        if is_whole and set(names) <= values.keys():
            path = re.sub(r"\{(\w+):uuid\}", lambda match: str(values[match[1]]), page.path)
            found.append(f"{home}/{path}".removesuffix("/"))
    return found


def is_there(page: Page, address: str) -> bool:
    answer = page.goto(address)
    return answer is not None and answer.status == 200


AREAS = {
    *("phone", "devices", "inbox", "new", "canned", "labels"),
    *("messages", "members", "audit", "deliveries", "webhooks"),
}
DESK: ViewportSize = {"width": 1280, "height": 720}
PHONE: ViewportSize = {"width": 390, "height": 800}
SHOW_ALL = """
for (const hidden of document.querySelectorAll("dialog, details")) hidden.open = true;
"""


@pytest.mark.timeout(900)
def test_every_page_can_be_read_and_keeps_nobody_out(owner: Page, program: Program) -> None:
    """On a desk and on a phone, by what axe-core finds, light and dark, as it comes and with all
    that opens on it; and none breaks its own rules for scripts and styles."""
    addresses = list_addresses(owner, program)
    assert {part for each in addresses for part in each.split("/")[-2:]} >= AREAS
    said: list[str] = []
    owner.on("console", lambda message: said.append(message.text))
    troubles: list[str] = []
    for address in addresses:
        answer = owner.goto(address)
        assert answer is not None
        assert answer.status == 200, address
        troubles += find_barriers(owner, of_colors_alone=True)
        owner.set_viewport_size(PHONE)
        troubles += find_what_is_lost_on_a_phone(owner)
        owner.set_viewport_size(DESK)
        owner.evaluate(SHOW_ALL)
        troubles += find_barriers(owner)
    troubles += [text for text in said if "Content Security Policy" in text]
    assert troubles == []


def find_what_is_lost_on_a_phone(page: Page) -> list[str]:
    """A page that is wider than it, or begins below a header that takes its space; a row that fills
    the screen, as one with an id that is broken after each letter would, or whose status is not on
    the screen at once."""
    header = page.locator("header:visible").first  # in a conversation, its own
    heights = page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    states = page.locator("tbody .badge")
    lefts = states.evaluate_all("all => all.map(each => each.getBoundingClientRect().left)")
    is_lost = {
        "wider": page.evaluate("document.documentElement.scrollWidth") != PHONE["width"],
        "header": header.evaluate("header => header.offsetHeight") > 64,
        "row": max(heights, default=0) >= 400,
        "status": max(lefts, default=0) >= PHONE["width"],
    }
    return [f"{page.url}: {what}" for what, is_so in is_lost.items() if is_so]


def test_a_device_is_paired_in_the_browser(owner: Page) -> None:
    """Its code is renewed by itself, and the page says at once that it was scanned."""
    owner.goto(f"{owner.url}/devices/connect")
    owner.get_by_role("link", name="Sandbox").click()
    examine(owner)
    owner.locator("input[name=name]").fill("Front desk")
    owner.get_by_role("button", name="Connect").click()
    code = owner.get_by_role("img", name="QR code that pairs Front desk")
    expect(code).to_be_visible()
    examine(owner)
    expect(code).not_to_have_attribute("src", str(code.get_attribute("src")), timeout=40_000)
    with owner.context.expect_page() as window:
        owner.get_by_role("link", name="Open the virtual phone and scan").click()
    examine(window.value)
    window.value.locator("#scan").click()
    expect(owner).to_have_url(re.compile("paired"))
    expect(owner.get_by_text("connected", exact=True).first).to_be_visible()


def test_nothing_keeps_anybody_out_at_the_door(
    owner: Page, browser: Browser, program: Program
) -> None:
    """The pages before and beside an organization, and the one that shows a key."""
    go(owner, "Members")
    open_form(owner, "Invite somebody")
    owner.get_by_label("E-mail address").fill("cleo@example.com")
    owner.get_by_role("button", name="Invite", exact=True).click()
    examine(owner)
    link = owner.get_by_label("Send them this link").input_value()
    go(owner, "API keys")
    open_form(owner, "New key")
    owner.get_by_label("Name").fill("Seen once")
    owner.get_by_label("messages:read").check()
    owner.get_by_role("button", name="Make the key").click()
    examine(owner)
    with browser.new_context(base_url=program.demo["base_url"]) as context:
        cleo = context.new_page()
        cleo.goto("/dashboard")
        examine(cleo)
        cleo.get_by_role("link", name="Sign in on this machine").click()
        examine(cleo)
        cleo.get_by_label("Sign-in code").fill("AAAA-AAAA")
        cleo.get_by_role("button", name="Sign in").click()
        expect(cleo.get_by_role("alert")).to_contain_text("This code is wrong")
        examine(cleo)
        cleo.get_by_label("Sign-in code").fill(program.sign_in_code)
        cleo.get_by_label("E-mail address").fill("cleo@example.com")
        cleo.get_by_role("button", name="Sign in").click()
        expect(cleo.get_by_text("You don't belong to an organization yet")).to_be_visible()
        examine(cleo)
        cleo.goto(link)
        examine(cleo)
        cleo.goto("/dashboard/nowhere")
        examine(cleo)
