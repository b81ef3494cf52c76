"""Read what was written from PostgreSQL's write-ahead log, with its own `pg_waldump`."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from heliograph.platform.embedded.programs import find_binaries
from heliograph.platform.embedded.server import find_home

_RECORD = re.compile(
    r"rmgr: (?P<manager>\w+) +len \(rec/tot\): +(?P<length>\d+)/.* desc: (?P<what>\w+)(?P<more>.*)"
)
_FILE = re.compile(r"blkref #0: rel \d+/(?P<database>\d+)/(?P<file>\d+) ")
_LEAF = re.compile(r"level:? 0\b")
_INSERTS = {"INSERT_LEAF", "INSERT_POST"}
_SPLITS = {"SPLIT_L", "SPLIT_R"}


@dataclass(slots=True)
class Written:
    """New entries of B-tree indexes and bytes of records, by the number of the relation's file.

    What is of no relation of the database, such as a commit, is that of file 0. The images of whole
    pages that follow a checkpoint are left out.
    """

    entries: Counter[int] = field(default_factory=Counter)
    bytes: Counter[int] = field(default_factory=Counter)


async def read_wal(data_dir: Path, database: int, start: str, end: str) -> Written:
    """Read between these two positions, as PostgreSQL prints them. `database` is the oid of the one
    that is meant, `data_dir` the gateway's."""
    home = find_home(data_dir)
    assert home is not None
    process = await asyncio.create_subprocess_exec(
        *(find_binaries() / "pg_waldump", "--path", home / "data" / "pg_wal"),
        *("--start", start, "--end", end),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, complaint = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"pg_waldump failed: {complaint.decode()}")
    return count_records(output.decode().splitlines(), database)


def count_records(lines: Iterable[str], database: int) -> Written:
    """Count the records that `pg_waldump` has printed."""
    written = Written()
    for line in lines:
        record = _RECORD.match(line)
        if record is None:
            raise RuntimeError(f"pg_waldump printed {line!r}")
        found = _FILE.search(record["more"])
        of_database = found is not None and int(found["database"]) == database
        file = int(found["file"]) if found is not None and of_database else 0
        written.bytes[file] += int(record["length"])
        if record["manager"] == "Btree" and _is_entry(record["what"], record["more"]):
            written.entries[file] += 1
    return written


def _is_entry(what: str, more: str) -> bool:
    """Tell whether a record puts an entry into a leaf; entries above lead to pages."""
    return what in _INSERTS or (what in _SPLITS and _LEAF.search(more) is not None)
