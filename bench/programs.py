"""The programs that the benchmark starts: the gateway, and the baselines beside it."""

import asyncio
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from bench.client import Client
from heliograph.settings import Settings

_PATIENCE = 120.0


async def launch(
    *module: str, port: int, environment: dict[str, str], before: Sequence[str] = ()
) -> asyncio.subprocess.Process:
    """Start `python -m module` with these HELIOGRAPH_ variables and no others, and wait until
    `/readyz` answers 200. `before` is a command that becomes the program it is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HELIOGRAPH_")}
    process = await asyncio.create_subprocess_exec(
        *before,
        sys.executable,
        "-m",
        *module,
        env=kept | {"HELIOGRAPH_PORT": str(port), "HELIOGRAPH_LOG_LEVEL": "warning"} | environment,
    )
    deadline = time.monotonic() + _PATIENCE
    while not await _is_ready(port):
        if process.returncode is not None:
            raise RuntimeError(f"{module[0]} ended before it was ready")
        if time.monotonic() > deadline:
            await stop(process)
            raise RuntimeError(f"{module[0]} was not ready within {_PATIENCE:.0f} s")
        await asyncio.sleep(0.02)
    return process


async def _is_ready(port: int) -> bool:
    client = Client(f"http://127.0.0.1:{port}", "")
    try:
        async with client.connections(1) as connections:
            return (await connections[0].ask(client.get("/readyz"))).status == 200
    except OSError:
        return False


async def stop(process: asyncio.subprocess.Process) -> None:
    """Stop it as Ctrl-C does."""
    if process.returncode is None:
        process.send_signal(signal.SIGINT)
        await process.wait()


def free_port() -> int:
    """Return a port that the system gives to no outgoing connection, so that it is still free when
    the program that is started binds it."""
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311 - no secret
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@asynccontextmanager
async def storeless(settings: Settings, nodes: int) -> AsyncIterator[str]:
    """Run baseline A over the database of `settings`; yield its base URL."""
    port = free_port()
    process = await launch(
        "bench.storeless",
        port=port,
        environment={
            "HELIOGRAPH_DATABASE_URL": settings.database_url,
            "HELIOGRAPH_SECRET_KEYS": ",".join(
                key.get_secret_value() for key in settings.secret.keys
            ),
            "HELIOGRAPH_DATA_DIR": str(settings.data_dir),
            "HELIOGRAPH_NODES": str(nodes),
            "HELIOGRAPH_ROLES": "api",
            "HELIOGRAPH_RATE_LIMIT_URL": "",
        },
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await stop(process)


@asynccontextmanager
async def empty_route() -> AsyncIterator[str]:
    """Run the framework's empty route in a process of its own; yield its base URL."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.empty_route", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.terminate()
        await process.wait()


async def post_alone(url: str, body: bytes, count: int, processes: int) -> float:
    """Run baseline P; return how many posts a second so many processes reach together."""
    share = count // processes
    took = await asyncio.gather(*(_post(url, body, share) for _ in range(processes)))
    return sum(share / seconds for seconds in took)


async def _post(url: str, body: bytes, count: int) -> float:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.posting",
        url,
        str(count),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate(body)
    if process.returncode:
        raise RuntimeError("the client that posts alone failed")
    return float(output)


_SILENT = "127.53.53.53"
_WITH_NAMES = 'mount --bind "$1" "$(readlink -f /etc/resolv.conf)" && shift && exec "$@"'


@contextmanager
def unanswered_names() -> Iterator[Sequence[str] | None]:
    """Yield a command for whose program no name server answers; None where that is impossible."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        yield None
        return
    with (
        tempfile.NamedTemporaryFile("w", suffix=".conf") as file,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
    ):
        try:
            server.bind((_SILENT, 53))  # takes questions, and nobody ever reads them
        except OSError:
            yield None
            return
        file.write(f"nameserver {_SILENT}\n")
        file.flush()
        Path(file.name).chmod(0o644)
        yield ("unshare", "--mount", "sh", "-c", _WITH_NAMES, "sh", file.name)


@asynccontextmanager
async def provider() -> AsyncIterator[str]:
    """Run an OpenID Connect provider, the demo's own; yield its address."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "heliograph.faces.local_sign_in"),
            *("--public-url", "http://127.0.0.1", "--client-id", "heliograph"),
            *("--redirect-uri", "http://127.0.0.1/dashboard/callback"),
            *("--codes", f"{folder}/code", str(listener.fileno())),
            pass_fds=[listener.fileno()],
        )
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            process.kill()
            await process.wait()
