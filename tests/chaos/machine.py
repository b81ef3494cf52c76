"""A machine of the gateway: `heliograph serve` on its own port, with nodes that can be hurt."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx

from free_ports import free_port
from heliograph.platform.parent_death import tie_to_parent
from processes import list_nodes

SERVE = (sys.executable, "-m", "heliograph", "serve")
PATIENCE = 180.0  # seconds for a start or a stop; generous, for these tests keep the machine busy


class Machine:
    """`settings` are HELIOGRAPH_… variables without the prefix, in lower case. `release` is the
    folder that the program is taken from at its next start; None is the installed one."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.release: Path | None = None
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"machine-{self.port}.log"
        self.data_dir = folder / f"machine-{self.port}"
        self._environment = _environment(
            {"data_dir": str(self.data_dir), "port": str(self.port)} | settings
        )
        self.host_name: str | None = None
        """Its own, as of a machine that stands alone, which only root can give it; else this
        machine's."""
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it, and wait until it answers that it is ready."""
        self._launch()
        await self.ready()

    def _launch(self) -> None:
        environment = self._environment | (
            {"PYTHONPATH": str(self.release)} if self.release else {}
        )
        with self.log.open("ab") as stream:
            self._process = subprocess.Popen(
                [*(_named(self.host_name) if self.host_name else ()), *SERVE],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                preexec_fn=tie_to_parent(signal.SIGTERM),  # nothing stays when a test is killed
            )

    async def ready(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not await self.is_ready():
            assert self._process is not None
            assert self._process.poll() is None, f"the gateway ended: {self.end_of_log()}"
            assert time.monotonic() < deadline, f"it is not ready: {self.end_of_log()}"
            await asyncio.sleep(0.1)

    async def is_ready(self) -> bool:
        async with httpx.AsyncClient(timeout=5) as client:
            with contextlib.suppress(httpx.TransportError):
                return (await client.get(self.base_url + "/readyz")).status_code == 200
        return False

    @property
    def process_id(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def nodes(self) -> list[int]:
        """The process ids of the nodes that run now."""
        return list_nodes(self.process_id)

    def kill(self, node: int) -> None:
        """kill -9; the supervisor starts another in its place."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(node, signal.SIGKILL)

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Stop the whole machine and wait for it; its exit code."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(how)
        return await asyncio.to_thread(self._process.wait, PATIENCE)

    def end_of_log(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def _named(host_name: str) -> list[str]:
    return ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host_name]


def _environment(settings: dict[str, str]) -> dict[str, str]:
    own = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
    return own | {f"HELIOGRAPH_{name.upper()}": text for name, text in settings.items()}
