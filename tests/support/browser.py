"""Real browsers for tests: Chromium and Firefox of Debian's packages, driven by Playwright."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

from debian_programs import need_program

SLOWEST = 30_000
"""Milliseconds that a page has to show what a test waits for."""
BROWSERS = ("chromium", "firefox")
_RELAY = Path(__file__).with_name("firefox_relay.py")
_A_MOUSE = 2 + 4  # that is precise, and can hover


@contextlib.contextmanager
def running_browser(name: str = "chromium") -> Iterator[Browser]:
    """One of `BROWSERS`."""
    expect.set_options(timeout=SLOWEST)  # which a context's own default does not rule
    launch = {"chromium": _launch_chromium, "firefox": _launch_firefox}[name]
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


def _launch_chromium(playwright: Playwright) -> Browser:
    need_program("chromium", "chromium")
    return playwright.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=["--no-sandbox"],  # the sandbox needs rights that containers and root lack
    )


def _launch_firefox(playwright: Playwright) -> Browser:
    need_program("firefox-esr", "firefox-esr")
    return playwright.firefox.launch(
        executable_path=_RELAY,
        channel="moz-firefox",  # WebDriver BiDi: the other way is for Playwright's own Firefox
        firefox_user_prefs={
            "ui.primaryPointerCapabilities": _A_MOUSE,  # without a screen it says that it has none
            "ui.allPointerCapabilities": _A_MOUSE,
            "ui.useOverlayScrollbars": 1,  # which take no space, as Playwright has them in Chromium
        },
    )


@contextlib.contextmanager
def new_context(browser: Browser, *, scripts: bool = True, **kind: Any) -> Iterator[BrowserContext]:
    """Where pages are opened, without scripts if so wanted. Firefox knows no command of WebDriver
    BiDi that switches them off; it does not get them. Ours are all in files."""
    with browser.new_context(java_script_enabled=scripts, **kind) as context:
        if not scripts and browser.browser_type.name == "firefox":
            context.route("**/*.js", lambda route: route.abort())
        yield context
