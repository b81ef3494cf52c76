"""The pages of the site, and the links between them.

Pages are in docs/ and elsewhere, and their links refer to the repository. The site has the pages
that docs/index.md lists, in that order.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_GROUP = re.compile(r"^## (.+)\n((?:(?!## ).*\n)*)", re.MULTILINE)
_ROW = re.compile(r"^\| \[(.+?)\]\((.+?)\) \|", re.MULTILINE)
_ENTRY = re.compile(r"^- \[[^]]+\]\((.+?)\)", re.MULTILINE)
_CODE_BLOCK = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]*)">\s*</picture>'
)


@dataclass(frozen=True)
class Entry:
    """A page by its path in the repository; for a folder's page, with the pages that it lists."""

    title: str
    path: str
    listed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Navigation:
    """The contents of the site: the first page, and groups of others."""

    first: str
    groups: dict[str, list[Entry]]

    def paths(self) -> Iterator[str]:
        yield self.first
        for entries in self.groups.values():
            for entry in entries:
                yield from (entry.path, *entry.listed)

    def for_generator(self) -> list[Any]:
        """Return the navigation as `nav` of the generator's settings."""
        return [
            place_of(self.first),
            *({title: list(map(_shown, entries))} for title, entries in self.groups.items()),
        ]


def _shown(entry: Entry) -> dict[str, Any]:
    if not entry.listed:
        return {entry.title: place_of(entry.path)}
    return {entry.title: [place_of(path) for path in (entry.path, *entry.listed)]}


def place_of(path: str) -> str:
    """Return where a file of the repository is in the sources of the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return path.lower().replace("/readme.md", ".md")


def list_navigation(root: Path) -> Navigation:
    """Read docs/index.md, and the list of decisions."""
    first = "docs/index.md"
    groups = _GROUP.findall((root / first).read_text("utf-8"))
    return Navigation(
        first,
        {
            title: [_entry(root, name, resolve(first, to)) for name, to in _ROW.findall(rows)]
            for title, rows in groups
        },
    )


def _entry(root: Path, title: str, path: str) -> Entry:
    if not re.fullmatch(r"docs/.+/README\.md", path):
        return Entry(title, path)
    listed = _ENTRY.findall((root / path).read_text("utf-8"))
    return Entry(title, path, tuple(resolve(path, each) for each in listed))


def resolve(page: str, target: str) -> str:
    """Return the path in the repository of a link's target."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target))


def write_pages(root: Path, navigation: Navigation, folder: Path) -> None:
    """Write each page to its place, with links to the places of the others."""
    pages = set(navigation.paths())
    for path in pages:
        target = folder / place_of(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_converted((root / path).read_text("utf-8"), path, pages), "utf-8")


def _converted(text: str, page: str, pages: set[str]) -> str:
    def lead(link: re.Match[str]) -> str:
        return _led(link, page, pages)

    parts = _CODE_BLOCK.split(text)
    parts[::2] = [_LINK.sub(lead, _PICTURE.sub(_by_scheme, part)) for part in parts[::2]]
    return "".join(parts)


def _led(link: re.Match[str], page: str, pages: set[str]) -> str:
    """Return the link with its target on the site; as text, if the site lacks that file."""
    text, target = link.groups()
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link[0]
    path = resolve(page, path)
    if path not in pages and not path.startswith("docs/pictures/"):
        return text if path in text else f"{text} (`{path}`)"
    relative = posixpath.relpath(place_of(path), posixpath.dirname(place_of(page)))
    return f"[{text}]({relative}{mark}{anchor})"


def _by_scheme(picture: re.Match[str]) -> str:
    """Return both pictures, of which the theme shows one: the reader may choose another scheme than
    the system's, the only one that `<picture>` knows."""
    dark, light, alt = picture.groups()
    shown = ((light, "light"), (dark, "dark"))
    return "".join(f"![{alt}]({path}#only-{scheme}){{ loading=lazy }}" for path, scheme in shown)
