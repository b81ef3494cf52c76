"""What axe-core says of pages."""

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page

_SERIOUS = {"serious", "critical"}


def examine(page: Page) -> None:
    """Assert that axe-core finds nothing serious on the page that is open, light and dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert _serious_barriers(page) == [], (page.url, scheme)


def _serious_barriers(page: Page) -> list[str]:
    """What keeps some people from using the page that is open, or is still being loaded."""
    page.wait_for_load_state()
    # what passes is not described element by element, which takes most of the time
    found = Axe().run(page, options={"resultTypes": ["violations"]})["violations"]
    return [each["help"] for each in found if each["impact"] in _SERIOUS]
