"""What all acceptance tests may need."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from acceptance.dashboard_pages import owner_signed_in
from acceptance.running_program import Program
from browser import BROWSERS, running_browser


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what takes the fixture `browser` in each, but for tests that say why one is enough."""
    if "browser_name" in metafunc.fixturenames:
        is_for_one = metafunc.definition.get_closest_marker("chromium_only")
        names = ["chromium"] if is_for_one else BROWSERS
        metafunc.parametrize("browser_name", names, scope="module")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In CI, run what fails in a browser a second time: there it shares two cores with the other
    tests, and one click in ten thousand comes before the page listens. What fails twice, fails."""
    if os.environ.get("CI"):
        for item in items:
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture
def fresh_dir(reachable_dir: Path) -> Path:
    """A data directory for a gateway of this test's own."""
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
