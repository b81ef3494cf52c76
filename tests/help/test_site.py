"""The documentation as a site: all pages are in it, every link leads somewhere, and it needs no
other host and no script within a page."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from heliograph.faces.dashboard.pages.navigation import NAVIGATION
from repository import DOCS, ROOT
from site_pages import SitePage, read_pages

pytest_plugins = ("built_site",)
BASE = "https://gateway.example/help/"
BESIDE = {"https://gateway.example/dashboard", "https://gateway.example/docs"}
"""What the gateway serves besides."""
TOKENS = re.compile(r"^ +(--[a-z-]+): (#[0-9a-f]{6});$", re.MULTILINE)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, SitePage]:
    return read_pages(site)


def inside(page: SitePage, addresses: list[str]) -> Iterator[str]:
    """Those on the gateway, as they are seen from there; the page for what is not found has
    absolute ones."""
    for address in addresses:
        seen = urljoin(BASE + page.path, address)
        if seen.startswith(urljoin(BASE, "/")):
            yield seen


def title_of(source: Path) -> str:
    """The first heading, as plain text."""
    heading = source.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    return heading.replace("`", "")


def test_every_page_of_the_repository_is_there(pages: dict[str, SitePage]) -> None:
    sources = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("clients/*/README.md")]
    texts = {" ".join(page.text.split()) for page in pages.values()}
    missing = [
        source.name for source in sources if not any(title_of(source) in text for text in texts)
    ]
    assert missing == []
    assert len(pages) == len(sources) + 1


def test_every_link_leads_to_a_page_and_its_heading(site: Path, pages: dict[str, SitePage]) -> None:
    lost = []
    for page in pages.values():
        for address in set(inside(page, page.links)) - BESIDE:
            place, _, anchor = address.removeprefix(BASE).partition("#")
            target = pages.get(place) or pages.get(f"{place}/")
            if target is None or (anchor and unquote(anchor) not in target.anchors):
                lost.append((page.path, address))
    assert lost == []


def test_what_a_page_loads_is_there_and_of_no_other_host(
    site: Path, pages: dict[str, SitePage]
) -> None:
    for page in pages.values():
        loaded = list(inside(page, page.fetched))
        assert len(loaded) == len(page.fetched), page.path
        for address in loaded:
            path = urlsplit(address.removeprefix(BASE)).path
            assert (site / unquote(path)).is_file(), (page.path, address)


def test_style_sheets_load_nothing_but_fonts_beside_them(site: Path) -> None:
    for sheet in site.rglob("*.css"):
        text = sheet.read_text("utf-8")
        assert "@import" not in text
        for address in re.findall(r"url\([\"']?(?!data:)([^\"')]+)", text):
            assert (sheet.parent / address).is_file(), (sheet.name, address)


def test_no_script_stands_in_a_page(pages: dict[str, SitePage]) -> None:
    for page in pages.values():
        assert (page.inline_scripts, page.handlers) == ([], []), page.path
        assert not any(link.startswith("javascript:") for link in page.links), page.path


def test_the_search_finds_a_word(site: Path) -> None:
    items = json.loads((site / "search.json").read_text("utf-8"))["items"]
    found = {item["location"].partition("#")[0] for item in items if "idempotency" in str(item)}
    assert {"api/", "decisions/0006-what-an-idempotency-key-stores/"} <= found


def test_files_that_are_no_pages_are_named(pages: dict[str, SitePage]) -> None:
    page = pages["many-nodes/"]
    assert "heliograph.service (deploy/systemd/heliograph.service)" in page.text
    assert not any("deploy" in link for link in page.links)


def test_pictures_come_in_light_and_dark(pages: dict[str, SitePage]) -> None:
    shown = [address for address in pages["dashboard/"].fetched if "overview" in address]
    assert [urlsplit(address).fragment for address in shown] == ["only-light", "only-dark"]


def test_the_colors_are_those_of_the_dashboard() -> None:
    style = ROOT / "src" / "heliograph" / "faces" / "dashboard" / "static" / "style.css"
    light, _, dark = style.read_text("utf-8").partition("@media (prefers-color-scheme: dark)")
    ours = (DOCS / "site" / "heliograph.css").read_text("utf-8")
    our_light, _, our_dark = ours.partition('[data-md-color-scheme="slate"]')
    for mine, theirs in ((our_light, light), (our_dark, dark)):
        colors = TOKENS.findall(mine)
        assert len(colors) >= 10
        assert set(colors) <= set(TOKENS.findall(theirs))


def test_the_dashboard_leads_to_pages_that_are_there(pages: dict[str, SitePage]) -> None:
    places = [place for groups in NAVIGATION.values() for group in groups for place in group.places]
    for place in places:
        path, _, anchor = place.help.partition("#")
        assert path in pages, place
        assert not anchor or anchor in pages[path].anchors, place
