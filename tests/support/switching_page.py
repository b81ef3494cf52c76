"""`docs/switching.md` as a program reads it: its requests, the ids they need, and its tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from repository import DOCS

PAGE = (DOCS / "switching.md").read_text(encoding="utf-8")
_SECTION = re.compile(r"^#{2,3} ")
_LINK = re.compile(r"\]\(#([^)]+)\)")
_BOUND = re.compile(r"^\| `\$(\w+)` \| .* \| `\.(\S+)` of \[.*\]\(#(\S+)\) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Request:
    """What stands below a heading, to be pasted into a shell."""

    name: str
    code: str

    @property
    def anchor(self) -> str:
        return anchor_of(self.name)


@dataclass(frozen=True)
class Variable:
    """Where a shell variable's value is: in a request's answer, at a path such as `a[0].b`."""

    name: str
    path: str
    anchor: str


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def list_requests() -> list[Request]:
    """List each block with a curl, in the page's order, by the heading above it."""
    found = []
    for name, text in _sections():
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        found += [Request(name, block) for block in blocks if "curl " in block]
    return found


def count_curls() -> int:
    """Count every curl on the page, wherever it stands."""
    return len(re.findall(r"\bcurl\b", PAGE))


def list_variables() -> list[Variable]:
    return [Variable(*row) for row in _BOUND.findall(PAGE)]


@dataclass(frozen=True)
class Job:
    """A row of a table of jobs: what it is, how it is done here, and what is different then."""

    name: str
    here: str
    difference: str


def list_jobs() -> Iterator[Job]:
    for name, text in _sections():
        if name.endswith(", job by job"):
            for line in re.findall(r"^\| (?!job ).*\|$", text, re.MULTILINE):
                job, _, here, difference = (cell.strip() for cell in line[1:-1].split("|"))
                yield Job(job, here, difference)


def links_in(text: str) -> set[str]:
    return set(_LINK.findall(text))


def _sections() -> Iterator[tuple[str, str]]:
    """Yield each heading with what stands below it, up to the next."""
    name, fenced = "", False
    lines: list[str] = []
    for line in PAGE.splitlines():
        fenced ^= line.startswith("```")
        if _SECTION.match(line) and not fenced:
            yield name, "\n".join(lines) + "\n"
            name, lines = line.lstrip("# "), []
        else:
            lines.append(line)
    yield name, "\n".join(lines) + "\n"
