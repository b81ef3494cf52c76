"""Real browsers for tests: Chromium and Firefox of Debian's packages, driven by Playwright."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from debian_programs import find_one_of, need_program

SLOWEST = 30_000
"""Milliseconds that a page has to show what a test waits for."""
_RELAY = Path(__file__).with_name("firefox_relay.py")
_A_MOUSE = 2 + 4  # that is precise, and can hover


@contextlib.contextmanager
def running_browser(name: str = "chromium") -> Iterator[Browser]:
    """Chromium or Firefox."""
    expect.set_options(timeout=SLOWEST)  # which a context's own default does not rule
    launch = {"chromium": _launch_chromium, "firefox": _launch_firefox}[name]
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


def _launch_chromium(playwright: Playwright) -> Browser:
    """Chromium's shell without windows: the same engine, for two fifths of the processor time."""
    return playwright.chromium.launch(
        executable_path=find_one_of("chromium-headless-shell", "chromium"),
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
