"""What the pages say of the code is there: folders, files, modules, and names in them."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from each_case import for_each
from repository import DOCS, ROOT

PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
SOURCE = ROOT / "src" / "heliograph"
TOPS = {place.name for place in (*SOURCE.iterdir(), *ROOT.iterdir()) if place.is_dir()}
MADE = {"bench/latest.json", "receiver.py"}
"""What a benchmark writes, and what a reader writes."""

BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?:[\w-]+/)*[\w-]+\.py")
PLACE = re.compile(r"([a-z_]+)(?:/[\w.-]+)*/?")
MODULE = re.compile(r"heliograph(?:\.[a-z_]+)+")


def spans_in(text: str) -> list[str]:
    return SPAN.findall(BLOCK.sub("", text))


def spans_of(page: Path) -> list[str]:
    return spans_in(page.read_text(encoding="utf-8"))


def is_place(span: str) -> bool:
    """Whether this is a file of Python, or a path that begins with a folder there is."""
    place = PLACE.fullmatch(span)
    in_folder = place is not None and "/" in span and place[1] in TOPS
    return span not in MADE and (in_folder or FILE.fullmatch(span) is not None)


def find_places(path: str) -> list[Path]:
    """What it means, seen from the repository, from the package, or as a file's name alone."""
    if "/" not in path:
        return index_files().get(path, [])
    return [found for found in (ROOT / path, SOURCE / path) if found.exists()]


@cache
def index_files() -> Mapping[str, list[Path]]:
    """Our files by their names alone, without the tens of thousands of npm's packages."""
    found = defaultdict(list)
    for top in ("src", "tests", "docs"):
        for folder, inner, names in os.walk(ROOT / top):
            inner[:] = [name for name in inner if name != "node_modules"]
            for name in names:
                found[name].append(Path(folder, name))
    return found


def is_module(name: str) -> bool:
    path = SOURCE.parent / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def source_of(place: Path) -> str:
    files = place.rglob("*.py") if place.is_dir() else [place]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@for_each("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_places_that_are_named_exist(page: Path) -> None:
    spans = spans_of(page)
    missing = [span for span in spans if is_place(span) and not find_places(span)]
    missing += [span for span in spans if MODULE.fullmatch(span) and not is_module(span)]
    assert missing == []


def test_what_contributors_are_sent_to_is_where_they_are_sent() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for cell in re.findall(r"(?<=\|) .*? (?=\|)", text):
        spans = SPAN.findall(cell)
        named = [(name, spans) for name in re.findall(r"\(`(\w+)`", cell)]
        named += [(name, [place]) for name, place in re.findall(r"`(\w+)` (?:in|of) `(.*?)`", cell)]
        for name, places in named:
            found = [place for span in places if is_place(span) for place in find_places(span)]
            source = "\n".join(map(source_of, found))
            assert re.search(rf"^(?:(?:async )?def |class )?{name}\b", source, re.MULTILINE), name


def test_the_map_and_its_page_have_every_subject() -> None:
    picture = (DOCS / "pictures" / "code-map.svg").read_text(encoding="utf-8")
    boxes = set(re.findall(r'class="step"[^>]*>(\w+)<', picture))
    for folder in ("core", "platform"):
        assert {place.stem for place in parts_of(SOURCE / folder)} <= boxes
    subjects = {f"core/{place.name}" for place in parts_of(SOURCE / "core") if place.is_dir()}
    assert subjects <= set(spans_of(DOCS / "architecture.md"))


def parts_of(folder: Path) -> list[Path]:
    return [
        place
        for place in folder.iterdir()
        if (place / "__init__.py").exists() or (place.suffix == ".py" and place.stem != "__init__")
    ]
