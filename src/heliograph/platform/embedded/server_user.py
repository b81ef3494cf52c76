"""Who runs the private PostgreSQL, and what that user can reach.

PostgreSQL refuses to run as root. A gateway that root has started therefore runs it as an
unprivileged user, from places that this user can reach as they are: no permission of a folder that
was there before is ever changed.
"""

import grp
import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heliograph.errors import ConfigurationError

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

        Folders above it may be this user's, who must not make root hand over a folder of others.
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
    except KeyError:  # a container may run under a user id that has no name
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
