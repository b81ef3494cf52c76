"""What is recorded about a private PostgreSQL: where it is, and its passwords."""

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from heliograph.platform.database.roles import NODE, OWNER
from heliograph.platform.embedded.postmaster import EmbeddedPostgresError
from heliograph.platform.files.private import write_private

NAME = "heliograph"
"""The name of the superuser and of the database."""

FILE = "postgres.json"
"""Its name in the data directory; its mode is 0600."""

_PASSWORDS = {OWNER: "postgres-owner.password", NODE: "postgres-node.password"}
"""The files beside it that have the roles' passwords, by role."""


@dataclass(frozen=True, slots=True)
class EmbeddedRecord:
    """`home` is relative if it is in the data directory; `socket` is the socket's folder."""

    home: str
    password: str
    socket: str = ""

    def superuser_url(self, database: str = NAME) -> str:
        """The URL that opens the server to its superuser."""
        return self._url(NAME, self.password, database)

    def role_url(self, role: str, data_dir: Path) -> str:
        """The URL of the database for one of the roles."""
        return self._url(role, load_role_password(data_dir, role), NAME)

    def _url(self, user: str, password: str, database: str) -> str:
        return f"postgresql://{user}:{password}@/{database}?host={quote(self.socket)}"

    def save(self, data_dir: Path) -> None:
        write_private(data_dir / FILE, json.dumps(asdict(self)))


def load_role_password(data_dir: Path, role: str) -> str:
    """Return the password of a role that is no superuser, made at the first call."""
    path = data_dir / _PASSWORDS[role]
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32) + "\n")
    return path.read_text(encoding="utf-8").strip()


def find_record(data_dir: Path) -> EmbeddedRecord | None:
    """Return the record of a data directory. Raises `EmbeddedPostgresError` if it is unreadable."""
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
