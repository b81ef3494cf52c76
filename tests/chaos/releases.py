"""Releases to come: the program as it is, with two more revisions of the schema each: one that
expands it, and one that contracts it."""

import shutil
from pathlib import Path

import heliograph
from heliograph.platform.database.migrate import Migrations

EXPANDED = ("accounts", "contacts", "conversations", "deliveries", "jobs", "messages", "webhooks")
"""Tables that each release to come adds a column to."""

_REVISION = """
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.get_context().autocommit_block():
        found = op.get_bind().exec_driver_sql(
            "SELECT attrelid::regclass::text FROM pg_attribute "
            "WHERE attname = 'added_by_{revision}'"
        )
        changed = [row[0] for row in found]
        for table in {tables}:
            if table not in changed:  # `IF NOT EXISTS` would keep everybody from it once more
                op.execute(f"ALTER TABLE {{table}} ADD COLUMN added_by_{revision} text")
    op.execute("CREATE TABLE made_by_{revision} (shard integer PRIMARY KEY)")
"""

_CONTRACTION = """
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None
contracts = True


def upgrade() -> None:
    op.execute("DROP TABLE made_by_{before}")
"""


def last_revision(number: int) -> str:
    """The revision that a database is at when the `number`th release has contracted it."""
    (head,) = Migrations().heads
    return f"{int(head) + 2 * number:04}"


def make_release(folder: Path, number: int) -> Path:
    """The release that is `number` after this one, as a folder for PYTHONPATH."""
    made = folder / f"release-{number}"
    package = shutil.copytree(
        Path(heliograph.__file__).parent,
        made / "heliograph",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (package / "__init__.py").write_text(f'"""A release to come."""\n\n__version__ = "{number}"\n')
    versions = package / "platform/database/migrations/versions"
    for ahead in range(1, number + 1):
        before, last = last_revision(ahead - 1), last_revision(ahead)
        expanded = f"{int(last) - 1:04}"
        text = _REVISION.format(revision=expanded, before=before, tables=EXPANDED)
        (versions / f"{expanded}_expand.py").write_text(text)
        text = _CONTRACTION.format(revision=last, before=expanded)
        (versions / f"{last}_contract.py").write_text(text)
    return made
