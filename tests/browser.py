"""A real browser for tests: Chromium of Debian's packages, driven by Playwright."""

import contextlib
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from debian_programs import need_program

SLOWEST = 30_000
"""Milliseconds that a page has to show what a test waits for."""


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    need_program("chromium", "chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox"],  # the sandbox needs rights that containers and root lack
        )
        try:
            yield browser
        finally:
            browser.close()
