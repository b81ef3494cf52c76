"""An S3-compatible server of a test's own, with one bucket. It keeps everything in memory."""

import contextlib
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest
from obstore.store import S3Store

from free_ports import free_port
from processes import running
from waiting import wait_until

BUCKET = "pictures"
_NAMES = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@dataclass
class S3Server:
    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What leads a client to this server, as an operator would set it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "made-up",
            "AWS_SECRET_ACCESS_KEY": "made-up-too",
        }

    def url(self, folder: str, bucket: str = BUCKET) -> str:
        return f"s3://{bucket}/{folder}"

    def list_keys(self) -> list[str]:
        """What the bucket holds."""
        found = ElementTree.fromstring(self._ask("GET"))  # noqa: S314 - our own server's
        return [str(key.text) for key in found.iter(f"{_NAMES}Key")]

    def objects(self) -> dict[str, bytes]:
        """Everything that the bucket holds, by key."""
        bucket = S3Store(BUCKET, endpoint=self.endpoint, client_options={"allow_http": True})
        return {key: bytes(bucket.get(key).bytes()) for key in self.list_keys()}

    def refuse_keys(self) -> None:
        """Take no access key any more, as if each of them had been revoked."""
        self._check_keys_after("0")

    def take_any_key(self) -> None:
        self._check_keys_after("inf")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def _check_keys_after(self, requests: str) -> None:
        self._ask("POST", "moto-api/reset-auth", requests.encode())

    def _ask(self, method: str, path: str = BUCKET, body: bytes | None = None) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.endpoint}/{path}", body, {"Content-Type": "text/plain"}, method=method
        )
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return bytes(answer.read())

    def makes_bucket(self) -> bool:
        """False as long as it is starting."""
        with contextlib.suppress(OSError):
            self._ask("PUT")
            return True
        return False


@contextlib.contextmanager
def running_s3() -> Iterator[S3Server]:
    """With the environment of this process leading there."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)]
    with running(command) as process, pytest.MonkeyPatch.context() as patch:
        server = S3Server(port, process)
        wait_until(server.makes_bucket)
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server
