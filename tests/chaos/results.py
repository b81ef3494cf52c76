"""What the chaos tests counted: a file for each fault, and the table of them all."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from chaos.ledger import Fault, Ledger

Count = int | float | str

COLUMNS = ("times", "accepted", "heard", "webhooks", "lost", "doubled", "repeats", "slowest_s")
"""Counts with a column of their own; what else a test counted is in the column `also`."""

WIDTH = 140  # characters that the table needs


@dataclass(frozen=True, slots=True)
class Result:
    """`at` and `seconds` are when the fault's test ended (Unix time) and how long it took."""

    fault: str
    at: float
    seconds: float
    counts: Mapping[str, Count]

    def cells(self) -> list[str]:
        also = [
            f"{name.replace('_', ' ')} {_text(value)}"
            for name, value in self.counts.items()
            if name not in COLUMNS
        ]
        known = [_text(self.counts[name]) if name in self.counts else "" for name in COLUMNS]
        return [self.fault, *known, _text(round(self.seconds)), ", ".join(also)]


def tally(ledger: Ledger, faults: Iterable[Fault]) -> dict[str, Count]:
    """The counts of every test that keeps a ledger."""
    kinds = Counter(fault.kind for fault in faults)
    lost, doubled = kinds.pop("lost", 0), kinds.pop("doubled", 0) + kinds.pop("id used twice", 0)
    counts: dict[str, Count] = {
        "accepted": len(ledger.answers),
        "heard": len(ledger.heard),
        "webhooks": len(ledger.posted),
        "lost": lost,
        "doubled": doubled,
        "repeats": ledger.repeats(),
    }
    return counts | {f"faults: {kind}": number for kind, number in kinds.items()}


def write(folder: Path, result: Result) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in result.fault.lower())
    (folder / f"{name}.json").write_text(json.dumps(asdict(result), indent=1) + "\n")


def read(folder: Path) -> list[Result]:
    """Every result in the folder, in the order in which they came."""
    found = [Result(**json.loads(path.read_text())) for path in folder.glob("*.json")]
    return sorted(found, key=lambda each: each.at)


def table(results: Sequence[Result]) -> Table:
    made = Table(title="What the faults came to", expand=True)
    made.add_column("fault", ratio=2)
    for heading in _headings()[1:-1]:
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column("also", ratio=3)
    for result in results:
        made.add_row(*result.cells())
    return made


def markdown(results: Sequence[Result]) -> str:
    rows = [_headings(), ["---"] * len(_headings()), *[result.cells() for result in results]]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _headings() -> list[str]:
    return ["fault", *[column.replace("_s", ", s") for column in COLUMNS], "seconds", "also"]


def _text(value: Count) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
