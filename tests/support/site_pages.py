"""Pages of the built documentation, read as a browser reads them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

_PROGRAMS = {"", "module", "text/javascript", "application/javascript"}
"""The types of scripts that a browser runs; it ignores those of any other."""


@dataclass
class SitePage:
    """`fetched` is what the page loads by itself, `links` where a reader can go from it."""

    path: str
    fetched: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    inline_scripts: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)
    text: str = ""


def read_pages(site: Path) -> dict[str, SitePage]:
    """All pages by their address below the site's."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        reader = _Reader(file.relative_to(site).as_posix().removesuffix("index.html"))
        reader.feed(file.read_text("utf-8"))
        pages[reader.page.path] = reader.page
    return pages


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.page = SitePage(path)
        self._is_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.page.handlers += [name for name in given if name.startswith("on")]
        self.page.fetched += [given[name] for name in ("src", "srcset", "data") if given.get(name)]
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        if tag == "link" and given["rel"] not in ("prev", "next"):
            self.page.fetched.append(given["href"])
        is_program = tag == "script" and given.get("type", "") in _PROGRAMS
        self._is_script = is_program and "src" not in given

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_data(self, data: str) -> None:
        self.page.text += data
        if self._is_script:
            self.page.inline_scripts.append(data)
