"""Where the gateway of this machine answers, for the commands that work beside it.

`serve` writes it into the data directory. A command of the same data directory reads it, so that
its links are right, too, where the gateway was started with another port than the command was.
"""

import glob
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from heliograph.platform.files.data_dir import LOCK, make_data_dir
from heliograph.platform.files.private import DataDirError, write_private
from heliograph.settings import Settings

_FILE = "gateway.json"


class RunningGateway(msgspec.Struct, frozen=True):
    """`process` is its supervisor's id, `public_url` what was set, if it was."""

    process: int
    host: str
    port: int
    public_url: str | None

    @property
    def is_alive(self) -> bool:
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it is another user's
            return True
        return True


def record_gateway(settings: Settings) -> Path:
    """Write down where this process's gateway answers, if there can be a data directory for it.

    Returns the file, which the supervisor removes when the gateway has ended in order.
    """
    server = settings.server
    gateway = RunningGateway(os.getpid(), server.host, server.port, server.public_url)
    path = settings.data_dir / _FILE
    with suppress(OSError, DataDirError):
        make_data_dir(settings.data_dir)
        write_private(path, msgspec.json.encode(gateway).decode())
    return path


def find_gateway(data_dir: Path) -> RunningGateway | None:
    """Return the gateway that works on this data directory, as far as is known.

    One that was killed is recognized by its process id.
    """
    try:
        found = msgspec.json.decode((data_dir / _FILE).read_bytes(), type=RunningGateway)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.is_alive else None


def join_gateway(settings: Settings) -> Settings:
    """Return these settings with the address of the gateway that runs beside this command."""
    found = find_gateway(settings.data_dir)
    if found is None:
        return settings
    public_url = settings.server.public_url or found.public_url
    return settings.with_address(found.host, found.port, public_url)


def list_other_data_dirs(data_dir: Path) -> list[Path]:
    """Return the data directories of this user's other running gateways, the nearest first.

    Only Linux can tell. A private PostgreSQL's folder has a lock, too, but no gateway.
    """
    held = {Path(target).parent for target in _open_files() if target.endswith(f"/{LOCK}")}
    found = [folder for folder in held - {data_dir} if _is_own(folder) and find_gateway(folder)]

    def distance(folder: Path) -> tuple[int, Path]:
        shared = Path(os.path.commonpath((folder, data_dir.absolute())))
        return -len(shared.parts), folder

    return sorted(found, key=distance)


def _is_own(data_dir: Path) -> bool:
    try:
        return (data_dir / _FILE).stat().st_uid == os.geteuid()
    except OSError:
        return False


def _open_files() -> list[str]:
    found = []
    for link in glob.iglob("/proc/[0-9]*/fd/*"):
        with suppress(OSError):  # gone meanwhile, or another user's
            found.append(os.readlink(link))
    return found
