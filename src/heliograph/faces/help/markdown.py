"""The documentation of a checkout, rendered from its sources: plainer than the site and without
search, but available without a build.

Its pages have the same addresses as on the site.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from heliograph.faces.help.sources import Navigation, list_navigation, place_of, resolve

_PICTURES = "docs/pictures/"
_TEMPLATE = Path(__file__).with_name("page.html")
_ADDRESS = re.compile(r'\b(href|src|srcset)="([^"]+)"')
_ELSEWHERE = re.compile(r"[a-z]+:|#|/")
_NO_ANCHOR = re.compile(r"[^\w\- ]")


class Checkout:
    """The pages of a repository, by the path of each on the site, such as `dashboard/`."""

    def __init__(self, root: Path, start: str) -> None:
        """`start` precedes all addresses that go out: `/help/`, behind a proxy's path."""
        self._root = root
        self.start = start
        self._markdown = MarkdownIt("commonmark", {"html": True}).enable("table")

    @cached_property
    def _navigation(self) -> Navigation:
        return list_navigation(self._root)

    @cached_property
    def _sources(self) -> dict[str, str]:
        """Return the pages' files by their paths on the site."""
        return {_site_path(path): path for path in self._navigation.paths()}

    def find_page(self, site_path: str) -> str | None:
        """Return a page as HTML; None if there is none."""
        source = self._sources.get(site_path)
        if source is None:
            return None
        tokens = self._markdown.parse((self._root / source).read_text("utf-8"))
        content = self._markdown.renderer.render(_with_anchors(tokens), self._markdown.options, {})
        values = {
            "TITLE": escape(_title_of(tokens)),
            "START": escape(self.start),
            "NAVIGATION": Markup("").join(self._list_links(site_path)),
            "CONTENT": _ADDRESS.sub(lambda found: self._lead(found, source), content),
        }
        page = _TEMPLATE.read_text("utf-8")
        return re.sub(r"\{(\w+)\}", lambda name: str(values.get(name[1], name[0])), page)

    def find_picture(self, site_path: str) -> Path | None:
        """Return the file of a picture; None if there is none."""
        folder = self._root / _PICTURES
        file = (self._root / "docs" / site_path).resolve()
        return file if file.is_relative_to(folder.resolve()) and file.is_file() else None

    def _list_links(self, here: str) -> Iterator[Markup]:
        link = Markup('<li><a href="{}"{}>{}</a></li>')
        for title, entries in self._navigation.groups.items():
            yield Markup("<h2>{}</h2><ul>").format(title)
            for entry in entries:
                path = _site_path(entry.path)
                current = Markup(' aria-current="page"') if path == here else ""
                yield link.format(self.start + path, current, entry.title)
            yield Markup("</ul>")

    def _lead(self, found: re.Match[str], source: str) -> str:
        """Return an attribute with its target's address on the site."""
        name, target = found.groups()
        path, mark, anchor = target.partition("#")
        if not path or _ELSEWHERE.match(path):
            return found[0]
        path = resolve(source, path)
        if path.startswith(_PICTURES):
            return f'{name}="{self.start}{path.removeprefix("docs/")}"'
        if _site_path(path) in self._sources:
            return f'{name}="{self.start}{_site_path(path)}{mark}{anchor}"'
        return f'title="{path} in the repository"'


def _site_path(path: str) -> str:
    """Return where a file of the repository is on the site: `docs/api.md` is `api/`."""
    place = place_of(path).removesuffix(".md")
    if place in ("index", "README"):
        return ""
    return f"{place.removesuffix('/README')}/"


def _with_anchors(tokens: list[Token]) -> list[Token]:
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", _NO_ANCHOR.sub("", content.content.lower()).replace(" ", "-"))
    return tokens


def _title_of(tokens: list[Token]) -> str:
    return next((token.content for token in tokens if token.type == "inline"), "Help")
