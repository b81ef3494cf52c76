"""One running gateway for the tests of pages that do each other no harm, in one browser.

Processes that share the tests leave this folder to one of them, so that both are started once.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from acceptance.dashboard_pages import owner_signed_in
from acceptance.running_program import Program, running
from browser import running_browser


@pytest.fixture(scope="package")
def program(reachable_dir: Path, browser_name: str) -> Iterator[Program]:
    """One for each browser."""
    with running(Path(tempfile.mkdtemp(dir=reachable_dir)) / "data") as started:
        yield started


@pytest.fixture(scope="package")
def browser(browser_name: str) -> Iterator[Browser]:
    with running_browser(browser_name) as started:
        yield started


@pytest.fixture(scope="package")
def signed_in(browser: Browser, program: Program) -> Iterator[BrowserContext]:
    with owner_signed_in(browser, program) as context:
        yield context
