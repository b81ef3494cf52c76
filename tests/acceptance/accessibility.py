"""What axe-core says of pages."""

from functools import cache

from playwright.sync_api import Page

from node_packages import need_packages

_SERIOUS = {"serious", "critical"}
# What passes is not described element by element, which would take most of the time.
_RUN = "axe.run({resultTypes: ['violations']}).then(results => results.violations)"


@cache
def _script() -> str:
    folder = need_packages("axe")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def examine(page: Page) -> None:
    """Assert that nothing on the page that is open, or is still being loaded, keeps some people
    from using it, light and dark."""
    page.wait_for_load_state()
    page.evaluate(_script())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(_RUN)
        barriers = [violation["help"] for violation in found if violation["impact"] in _SERIOUS]
        assert barriers == [], (page.url, scheme)
