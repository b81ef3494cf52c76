"""What axe-core says of pages."""

from functools import cache

from playwright.sync_api import Page

from node_packages import need_packages

_SERIOUS = {"serious", "critical"}
# What passes is not described element by element, and no style sheet is fetched a second time,
# which would take most of the time.
_RUN = """runOnly => axe.run({
    resultTypes: ["violations"], preload: false, ...runOnly && { runOnly },
}).then(results => results.violations)"""
_COLORS = ["color-contrast", "link-in-text-block"]


@cache
def _script() -> str:
    folder = need_packages("axe")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def examine(page: Page) -> None:
    """Assert that nothing on the page that is open, or is still being loaded, keeps some people
    from using it, light and dark."""
    assert find_barriers(page) == []


def find_barriers(page: Page, *, of_colors_alone: bool = False) -> list[str]:
    """What does so; of the rules, those of colors alone say something else where it is dark."""
    page.wait_for_load_state()
    if page.evaluate("!window.axe"):
        page.evaluate(_script())
    page.emulate_media(color_scheme="light")
    found = page.evaluate(_RUN, _COLORS if of_colors_alone else None)
    page.emulate_media(color_scheme="dark")
    found += page.evaluate(_RUN, _COLORS)
    return [f"{page.url}: {each['help']}" for each in found if each["impact"] in _SERIOUS]
