"""What all acceptance tests may need."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from acceptance.dashboard_pages import owner_signed_in
from acceptance.running_program import Program
from browser import running_browser

_BROWSERS = ("chromium", pytest.param("firefox", marks=pytest.mark.extra_fault))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what takes the fixture `browser` in Chromium, and what is marked in Firefox, too."""
    if "browser_name" in metafunc.fixturenames:
        is_for_both = metafunc.definition.get_closest_marker("firefox_too")
        names = _BROWSERS if is_for_both else _BROWSERS[:1]
        metafunc.parametrize("browser_name", names, scope="package")


@pytest.fixture
def fresh_dir(reachable_dir: Path) -> Path:
    """A data directory for a gateway of this test's own."""
    return Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"


@pytest.fixture(scope="module")
def data_dir(reachable_dir: Path) -> Path:
    """A data directory for the gateway of a file's own."""
    return Path(tempfile.mkdtemp(dir=reachable_dir)) / "data"


@pytest.fixture(scope="module")
def browser(browser_name: str) -> Iterator[Browser]:
    with running_browser(browser_name) as started:
        yield started


@pytest.fixture(scope="module")
def signed_in(browser: Browser, program: Program) -> Iterator[BrowserContext]:
    """A browser in which the owner of the demo is signed in, at the file's own `program`."""
    with owner_signed_in(browser, program) as context:
        yield context
