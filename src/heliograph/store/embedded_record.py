"""What is remembered about a private PostgreSQL: where it is, and what opens it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from heliograph.store.postmaster import EmbeddedPostgresError
from heliograph.store.private_files import write_private

NAME = "heliograph"
"""Of the role and of the database."""

FILE = "postgres.json"
"""In the data directory, mode 0600."""


@dataclass(frozen=True, slots=True)
class EmbeddedRecord:
    """`home` is relative where it is in the data directory; `socket` is the socket's folder."""

    home: str
    password: str
    socket: str = ""

    def url(self, database: str = NAME) -> str:
        """The URL that opens the server."""
        return f"postgresql://{NAME}:{self.password}@/{database}?host={quote(self.socket)}"

    def save(self, data_dir: Path) -> None:
        write_private(data_dir / FILE, json.dumps(asdict(self)))


def find_record(data_dir: Path) -> EmbeddedRecord | None:
    """The record of a data directory. Raises `EmbeddedPostgresError` when it is not readable."""
    path = data_dir / FILE
    try:
        return EmbeddedRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError) as error:
        raise EmbeddedPostgresError(
            f"{path} can't be read: {error}.",
            remedy="Run this as the user that the gateway runs as, or restore the file.",
        ) from None
