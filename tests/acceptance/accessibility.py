"""What axe-core says of pages."""

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page

_SERIOUS = {"serious", "critical"}


def serious_barriers(page: Page) -> list[str]:
    """What keeps some people from using the page that is open, or is still being loaded."""
    page.wait_for_load_state()
    found = Axe().run(page)["violations"]
    return [each["help"] for each in found if each["impact"] in _SERIOUS]
