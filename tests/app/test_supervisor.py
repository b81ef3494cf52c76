"""The supervisor: what it starts, what it starts again, and that nothing outlives it.

The nodes are stand-ins of a few lines, because a node here has to die, hang and refuse on command.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import asyncpg
import pytest

from acceptance.running_program import wait_for
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.embedded.server import connect_url
from prepared_data import prepare_data
from processes import is_alive, list_children, read_command

pytestmark = pytest.mark.extra_fault

NODE = """
import json, os, signal, socket, sys
mode, descriptor = sys.argv[1], int(sys.argv[3])
if mode == "refuse":
    sys.exit(78)
if mode == "crash":
    sys.exit(1)
if mode == "hang":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "report":
    os.write(int(sys.argv[-1]), b"01a20382-0756-7c1f-9956-237190445630\\n")
with socket.socket(fileno=descriptor) as listener:
    while True:
        connection, _ = listener.accept()
        connection.recv(65536)
        body = {"pid": os.getpid(), "url": os.environ["HELIOGRAPH_DATABASE_URL"]}
        body = json.dumps(body | {"options": sys.argv[4:]})
        head = f"HTTP/1.1 200 OK\\r\\ncontent-length: {len(body)}\\r\\n\\r\\n"
        connection.sendall((head + body).encode())
        connection.close()
"""

GATEWAY = """
import os, signal, sys
from heliograph.errors import ConfigurationError
from heliograph.settings import load_settings
from heliograph.app.startup import Startup

class Interrupted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def prepare(settings):
    if sys.argv[2] == "interrupt":
        Interrupted()
    return f"ready {settings.server.port}\\n"

command = (sys.executable, sys.argv[1], sys.argv[2], "--listen-fd")
try:
    startup = Startup(load_settings(), prepare, node_command=command)
    startup.is_demo = sys.argv[2] == "demo"
    sys.exit(startup.run())
except ConfigurationError as error:
    sys.exit(str(error))
"""


@dataclass
class Gateway:
    process: subprocess.Popen[str]
    data_dir: Path
    port: int = 0

    def ask(self) -> dict[str, object]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5) as answer:
            return dict(json.load(answer))

    def pids(self, wanted: int) -> set[int]:
        """The nodes that answer, once there are `wanted` of them."""
        seen: set[int] = set()
        wait_for(lambda: self._see(seen) >= wanted)
        return seen

    def _see(self, seen: set[int]) -> int:
        answer = self.ask()["pid"]
        assert isinstance(answer, int)
        seen.add(answer)
        return len(seen)

    def find_postmaster(self) -> int | None:
        pid_file = self.data_dir / "postgres/data/postmaster.pid"
        try:
            return int(pid_file.read_text().split()[0])
        except (FileNotFoundError, IndexError):  # being removed, being written
            return None

    def postmaster(self) -> int:
        process = self.find_postmaster()
        assert process is not None
        return process


Start = Callable[..., Gateway]


@pytest.fixture
def start(reachable_dir: Path) -> Iterator[Start]:
    """Start a gateway; `mode` is what its nodes do, other arguments are settings.

    Its data directory was used before, unless the first that is started is to begin `anew`.
    """
    folder = make_folder(reachable_dir)
    data_dir = folder / "data"
    (folder / "node.py").write_text(NODE)
    with contextlib.ExitStack() as stack:

        def start_one(
            mode: str = "serve", *, ready: bool = True, anew: bool = False, **settings: str
        ) -> Gateway:
            environment = {f"HELIOGRAPH_{name}": value for name, value in settings.items()}
            if not anew:
                prepare_data(data_dir)
            process = subprocess.Popen(
                [sys.executable, "-c", GATEWAY, str(folder / "node.py"), mode],
                env={"HELIOGRAPH_PORT": "0", "HELIOGRAPH_DATA_DIR": str(data_dir)}
                | os.environ
                | environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.callback(end, process)
            gateway = Gateway(process, data_dir)
            if ready:
                gateway.port = read_port(process)
            return gateway

        yield start_one


def make_folder(reachable_dir: Path) -> Path:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o755)
    return folder


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def read_port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        word, _, port = line.partition(" ")
        if word == "ready":
            return int(port)
    raise AssertionError("the gateway ended before it was ready")


def discovers(issuer: str) -> bool:
    """Whether a provider answers there, and calls itself so."""
    url = f"{issuer}/.well-known/openid-configuration"
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - our own address
            return bool(json.load(answer)["issuer"] == issuer)
    except OSError:
        return False


def takes_connections(url: str) -> bool:
    async def connect() -> None:
        await (await asyncpg.connect(url)).close()

    try:
        asyncio.run(connect())
    except (OSError, asyncpg.PostgresError):
        return False
    return True


def test_nodes_share_the_port_and_one_that_dies_is_replaced(start: Start) -> None:
    gateway = start(NODES="2")
    before = gateway.pids(2)

    os.kill(min(before), signal.SIGKILL)

    wait_for(lambda: not is_alive(min(before)))
    after = gateway.pids(2)
    assert max(before) in after
    assert min(before) not in after


def test_what_ends_a_dead_nodes_leases_does_not_outlive_the_gateway(start: Start) -> None:
    gateway = start("report")
    os.kill(gateway.pids(1).pop(), signal.SIGKILL)
    [helper] = wait_for(lambda: find_children(gateway, "ended_nodes"))
    os.kill(helper, signal.SIGSTOP)  # it takes its time
    gateway.process.terminate()
    assert gateway.process.wait(10) == 0
    assert not is_alive(helper)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_everything_in_order(start: Start, number: signal.Signals) -> None:
    gateway = start(NODES="2")
    processes = [*gateway.pids(2), gateway.postmaster()]
    began = time.monotonic()

    gateway.process.send_signal(number)

    assert gateway.process.wait(10) == 0
    assert time.monotonic() - began < 10
    assert not [process for process in processes if is_alive(process)]
    log = (gateway.data_dir / "postgres/postgres.log").read_text()
    assert log.rstrip().endswith("database system is shut down")


def test_a_node_that_does_not_stop_is_killed_within_ten_seconds(start: Start) -> None:
    gateway = start("hang")
    node, postmaster = gateway.pids(1).pop(), gateway.postmaster()

    gateway.process.terminate()

    assert gateway.process.wait(10) == 0
    assert not is_alive(node)
    assert not is_alive(postmaster)


def test_a_second_signal_is_impatient(start: Start) -> None:
    gateway = start("hang")
    gateway.process.send_signal(signal.SIGINT)
    assert gateway.process.stderr is not None
    next(line for line in gateway.process.stderr if "stopping" in line)
    began = time.monotonic()

    gateway.process.send_signal(signal.SIGINT)

    gateway.process.wait(10)
    assert time.monotonic() - began < 4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_nothing_outlives_a_killed_supervisor_and_the_next_start_works(start: Start) -> None:
    gateway = start(NODES="2")
    processes = [*gateway.pids(2), gateway.postmaster()]

    gateway.process.kill()

    wait_for(lambda: not [process for process in processes if is_alive(process)])
    assert start().ask()["pid"] not in processes


def test_a_database_that_dies_comes_back_at_the_same_place(start: Start) -> None:
    gateway = start()
    postmaster, url = gateway.postmaster(), connect_url(gateway.data_dir)
    node = gateway.ask()["pid"]

    os.kill(postmaster, signal.SIGKILL)

    wait_for(lambda: not is_alive(postmaster))
    wait_for(lambda: gateway.find_postmaster() not in (None, postmaster))
    assert (gateway.ask()["pid"], gateway.ask()["url"]) == (node, url)
    wait_for(lambda: takes_connections(url))
    assert connect_url(gateway.data_dir) == url


def test_a_database_that_does_not_start_is_tried_again(start: Start) -> None:
    gateway = start()
    postmaster, url = gateway.postmaster(), connect_url(gateway.data_dir)
    node, home = gateway.ask()["pid"], gateway.data_dir / "postgres"
    (home / "data/PG_VERSION").rename(home / "PG_VERSION")

    os.kill(postmaster, signal.SIGKILL)
    wait_for(lambda: "not a valid data directory" in (home / "postgres.log").read_text())
    assert gateway.ask()["pid"] == node
    (home / "PG_VERSION").rename(home / "data/PG_VERSION")

    wait_for(lambda: takes_connections(url), 30)
    assert (gateway.ask()["pid"], gateway.ask()["url"]) == (node, url)


@pytest.mark.parametrize("mode", ["refuse", "crash"])
def test_nodes_that_can_not_start_end_the_gateway(start: Start, mode: str) -> None:
    gateway = start(mode, ready=False)
    gateway.process.communicate(timeout=60)
    assert gateway.process.returncode == 1
    assert not (gateway.data_dir / "postgres/data/postmaster.pid").exists()


def test_a_signal_while_starting_leaves_nothing(start: Start) -> None:
    gateway = start(ready=False, anew=True)
    wait_for(lambda: (gateway.data_dir / "postgres").exists())

    gateway.process.send_signal(signal.SIGINT)

    gateway.process.communicate(timeout=60)
    assert not (gateway.data_dir / "postgres/data/postmaster.pid").exists()
    assert start().ask()


def test_a_signal_whose_exception_python_drops_is_obeyed_too(start: Start) -> None:
    gateway = start("interrupt", ready=False)

    output, errors = gateway.process.communicate(timeout=60)

    assert "Exception ignored" in errors, "the interruption was not dropped: no test"
    assert "ready" not in output
    assert gateway.process.returncode == 0
    assert not (gateway.data_dir / "postgres/data/postmaster.pid").exists()


def local_sign_in(gateway: Gateway) -> str:
    """Where a node is told that the demo's own sign-in is."""
    options = gateway.ask()["options"]
    assert isinstance(options, list)
    assert options[0] == "--local-sign-in"
    return str(options[1])


def test_a_demos_own_sign_in_stays_at_its_address(start: Start) -> None:
    addresses = []
    for _ in range(2):
        gateway = start("demo")
        address = local_sign_in(gateway)
        wait_for(partial(discovers, address))
        addresses.append(address)
        gateway.process.terminate()
        assert gateway.process.wait(10) == 0
        assert not discovers(address)
    assert addresses[0] == addresses[1]


def find_children(gateway: Gateway, name: str) -> list[int]:
    """Processes of the program of this name."""
    return [
        child
        for child in list_children(gateway.process.pid)
        if name.encode() in read_command(child)
    ]


def find_sign_in(gateway: Gateway) -> int:
    """The process of the demo's own sign-in, once it answers."""
    wait_for(partial(discovers, local_sign_in(gateway)))
    [process] = find_children(gateway, "local_sign_in")
    return process


def test_a_demos_own_sign_in_that_dies_is_replaced_and_called_by_its_name(start: Start) -> None:
    gateway = start("demo")
    before = find_sign_in(gateway)
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: not is_alive(before))
    assert find_sign_in(gateway) != before
    gateway.process.terminate()
    _, errors = gateway.process.communicate(timeout=60)
    assert "the demo's sign-in ended; starting it again" in errors
    assert "node ended" not in errors


def test_a_demos_own_sign_in_is_told_nothing_that_is_secret(start: Start) -> None:
    gateway = start("demo", METRICS_TOKEN="hunter2")
    process = find_sign_in(gateway)
    told = Path(f"/proc/{process}/environ").read_bytes()
    told += read_command(process)
    for secret in (b"HELIOGRAPH_", b"postgresql:", b"hunter2", b"password"):
        assert secret not in told
    code = gateway.data_dir / "sign-in-code"
    assert code.stat().st_mode & 0o777 == 0o600
    gateway.process.terminate()
    assert gateway.process.wait(10) == 0
    assert not code.exists()


@pytest.mark.parametrize(
    ("mode", "settings"),
    [("serve", {}), ("demo", {"OIDC_ISSUER": "http://127.0.0.1:1"})],
    ids=["without a demo", "beside an issuer on this machine"],
)
def test_there_is_no_sign_in_that_nobody_asked_for(
    start: Start, mode: str, settings: dict[str, str]
) -> None:
    gateway = start(mode, **settings)
    assert "--local-sign-in" not in str(gateway.ask()["options"])
    assert not (gateway.data_dir / "sign-in-code").exists()
    assert len(list_children(gateway.process.pid)) == 2  # PostgreSQL and a node


def test_an_external_database_needs_no_private_one(start: Start, database_url: str) -> None:
    gateway = start(anew=True, DATABASE_URL=database_url, SECRET_KEYS=generate_secret_key())

    assert gateway.ask()["url"] == database_url
    assert not (gateway.data_dir / "postgres").exists()


def test_a_database_that_does_not_answer_is_one_sentence(start: Start) -> None:
    gateway = start(
        ready=False,
        DATABASE_URL="postgresql://heliograph:hunter2@127.0.0.1:1/x",
        SECRET_KEYS=generate_secret_key(),
    )
    _, errors = gateway.process.communicate(timeout=60)
    assert gateway.process.returncode == 1
    assert "can't be reached" in errors
    assert "Traceback" not in errors
    assert "hunter2" not in errors
