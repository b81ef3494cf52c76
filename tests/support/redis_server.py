"""A real Redis of a test's own, which can be stopped, frozen and started again on its port."""

import contextlib
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from debian_programs import need_program
from free_ports import free_port
from waiting import wait_until


@dataclass
class RedisServer:
    """It keeps nothing on disk: what is started again begins empty."""

    port: int
    folder: str
    process: "subprocess.Popen[bytes] | None" = field(default=None)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        address = ("--bind", "127.0.0.1", "--port", str(self.port))
        self.process = subprocess.Popen(
            ["redis-server", *address, "--save", "", "--appendonly", "no", "--dir", self.folder],
            stdout=subprocess.DEVNULL,
        )
        wait_until(self._answers)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def freeze(self) -> None:
        """It takes connections, as the kernel does that for it, and answers nothing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def ask(self, *command: str) -> str:
        """What `redis-cli` prints."""
        call = ["redis-cli", "-p", str(self.port), *command]
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()

    def _answers(self) -> bool:
        with contextlib.suppress(subprocess.CalledProcessError):
            return self.ask("PING") == "PONG"
        return False


@contextlib.contextmanager
def running_redis() -> Iterator[RedisServer]:
    need_program("redis-server", "redis-server")
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(free_port(), folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
