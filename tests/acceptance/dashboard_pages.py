"""How people come to the dashboard's pages in a browser."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, expect

from acceptance.running_program import Program
from browser import SLOWEST

_IS_READY = """() => document.documentElement.dataset.ready !== undefined
    || matchMedia("(scripting: none)").matches"""


def until_ready(page: Page) -> None:
    """Until the page that is open says that its scripts listen and it is told what happens. Links,
    forms and fields need no such wait; keys, and all that is more with scripts, do."""
    page.wait_for_function(_IS_READY)


def visit(page: Page, address: str) -> None:
    page.goto(address)
    until_ready(page)


def leave_for(page: Page, address: str) -> None:
    """From a page that answered a form. Its scripts take what was done out of its address, which
    would break off a navigation of Playwright's that has begun."""
    until_ready(page)
    page.goto(address)


def sign_in(page: Page, program: Program, name: str, wanted: str = "/dashboard") -> None:
    page.goto(wanted)
    sign_in_here(page, program, name)


def sign_in_here(page: Page, program: Program, name: str) -> None:
    """From the page that asks for it."""
    page.get_by_role("link", name="Sign in on this machine").click()
    page.get_by_label("Sign-in code").fill(program.sign_in_code)
    address = page.get_by_label("E-mail address")
    address.clear()  # what is there stays, where Playwright fills it over WebDriver BiDi
    address.fill(name)
    page.get_by_role("button", name="Sign in").click()


@contextmanager
def owner_signed_in(browser: Browser, program: Program) -> Iterator[BrowserContext]:
    """Where the first who ever signed in is so: the demo's owner."""
    with browser.new_context(base_url=program.demo["base_url"]) as context:
        context.set_default_timeout(SLOWEST)
        page = context.new_page()
        sign_in(page, program, "ada@example.com")
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        until_ready(page)
        yield context


def go(page: Page, area: str) -> None:
    """By the navigation, which is behind a button on a phone."""
    menu = page.get_by_role("link", name="Open the menu")
    if menu.is_visible():
        menu.click()
    page.get_by_role("navigation", name="Areas").get_by_role("link", name=area, exact=True).click()
    expect(page.get_by_role("heading", name=area, level=1)).to_be_visible()
    until_ready(page)


def open_form(page: Page, button: str) -> None:
    page.get_by_role("link", name=button, exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    until_ready(page)


def make_canned_reply(page: Page, shortcut: str, text: str) -> None:
    """From any page of the inbox."""
    page.get_by_role("link", name="Canned replies").click()
    open_form(page, "New reply")
    form = page.get_by_role("dialog")
    form.get_by_label("Shortcut").fill(shortcut)
    form.get_by_label("Text").fill(text)
    form.get_by_role("button", name="Create").click()
    expect(page.get_by_role("cell", name=f"/{shortcut}", exact=True)).to_be_visible()
