"""Two servers of one data directory: the former one, and its successor of the next major version.

    <home>/data            the cluster of the former version, until its successor has its place
    <home>/data.unfinished the successor's, until it has all rows
    <home>/data.new        the same from then on
    <home>/data-16         where the former one's is kept after that, by its version

Whatever ends this before the last two names change, the former one is as it was. Between the two
changes there is no `data`, and the next start or upgrade gives that name to `data.new`, as it does
for a new cluster.
"""

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from heliograph.platform.embedded.postmaster import EmbeddedPostgresError, Postmaster
from heliograph.platform.embedded.programs import MAJOR, provide_former_binaries
from heliograph.platform.embedded.record import find_record
from heliograph.platform.embedded.server import (
    NEW,
    EmbeddedPostgres,
    check_version,
    read_cluster_version,
    set_up,
)

_STOP_TIMEOUT = 60.0  # seconds; the successor has to write all of its checkpoint


class UpgradingPostgres(EmbeddedPostgres):
    """Both servers, while the block runs; nobody else can use the data directory.

    `former_major` is None where there is nothing to upgrade, and then no server is started. Raises
    `ConfigurationError`.
    """

    former_major: int | None = None
    _former: Postmaster | None = None
    _has_begun = False

    def __enter__(self) -> Self:
        try:
            self._open()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _open(self) -> None:
        record = find_record(self._data_dir)
        if record is None:
            raise EmbeddedPostgresError(
                f"There is no database in the data directory {self._data_dir}.",
                remedy="Set HELIOGRAPH_DATA_DIR as the gateway has it.",
            )
        self.lock()
        self._find_place(is_new=False)
        if not self._cluster.exists():
            self._make_cluster(record)  # which completes an upgrade interrupted at its end
        major = read_cluster_version(self._cluster)
        if major == MAJOR:
            return
        if major > MAJOR:
            check_version(self._cluster)
        self.kept = self._home / f"data-{major}"
        if self.kept.exists():
            raise EmbeddedPostgresError(
                f"{self.kept}, where the former database would be kept, exists.",
                remedy="Move it away.",
            )
        self._record = record
        self.former_url = self._start_former(major)
        self._start_successor()
        self.former_major = major

    def _start_former(self, major: int) -> str:
        binaries = provide_former_binaries(self._user, self._home, major)
        socket = str(self._make_socket_dir(self._home / "socket"))
        self._former = self._describe(binaries, self._cluster, socket)
        self._former.launch()
        return replace(self._record, socket=socket).superuser_url()

    def _start_successor(self) -> None:
        self._has_begun = True
        for folder in (self._successor, self._home / NEW):
            shutil.rmtree(folder, ignore_errors=True)
        self._initialize(self._successor, self._record.password)
        socket = str(self._make_socket_dir(self._home / "socket.new"))
        self._record = replace(self._record, socket=socket)
        self._postmaster = self._describe(self._binaries, self._successor, socket)
        self._postmaster.launch()
        asyncio.run(set_up(self._record, self._data_dir))

    @property
    def _successor(self) -> Path:
        """The successor's cluster, until it has all rows."""
        return self._home / "data.unfinished"

    @property
    def home(self) -> Path:
        """The folder that has both clusters."""
        return self._home

    def replace_former(self) -> None:
        """Stop both, and put the successor in the former one's place, which is kept."""
        self._stop_servers(_STOP_TIMEOUT)
        new = self._home / NEW
        for source, target in (
            (self._successor, new),
            (self._cluster, self.kept),
            (new, self._cluster),
        ):
            source.rename(target)
            self._flush_names()
        for folder in (self._home / "socket.new", *self._home.glob("former-*")):
            shutil.rmtree(folder, ignore_errors=True)

    def _flush_names(self) -> None:
        descriptor = os.open(self._home, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _stop_servers(self, timeout: float) -> None:
        for server in (self._former, self._postmaster):
            if server is not None:
                server.stop(timeout)
        self._former = self._postmaster = None

    def stop(self, timeout: float = 5.0) -> None:
        """Stop both servers, remove a successor that is not finished, and release the locks."""
        try:
            self._stop_servers(timeout)
            if self._has_begun:
                shutil.rmtree(self._successor, ignore_errors=True)
        finally:
            super().stop(timeout)
