"""A real browser for tests: Chromium of Debian's packages, driven by Playwright."""

import contextlib
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, expect, sync_playwright

from debian_programs import need_program

SLOWEST = 30_000
"""Milliseconds that a page has to show what a test waits for."""


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    need_program("chromium", "chromium")
    expect.set_options(timeout=SLOWEST)  # which a context's own default does not rule
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox"],  # the sandbox needs rights that containers and root lack
        )
        try:
            yield browser
        finally:
            browser.close()
