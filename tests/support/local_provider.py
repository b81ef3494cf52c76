"""The demo's own sign-in as a process, for tests: and the way through it."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from socket import create_server
from urllib.parse import parse_qs, urlsplit

import httpx

from heliograph.faces.local_sign_in.codes import make_code, read_code

PUBLIC_URL = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class LocalProvider:
    url: str
    codes: Path
    process: "subprocess.Popen[bytes]"

    @property
    def code(self) -> str:
        """The one that works now."""
        code = read_code(self.codes)
        assert code is not None
        return code

    async def sign_in(self, url: str, email: str, code: str | None = None) -> httpx.Response:
        """Say at its page who we are."""
        async with httpx.AsyncClient(timeout=60) as outside:
            assert (await outside.get(url)).status_code == 200
            return await outside.post(url, data={"code": code or self.code, "email": email})


@contextlib.contextmanager
def running_local_provider(folder: Path) -> Iterator[LocalProvider]:
    codes = folder / "sign-in-code"
    make_code(codes)
    with create_server(("127.0.0.1", 0)) as listener:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "heliograph.faces.local_sign_in"),
                *("--public-url", PUBLIC_URL, "--client-id", "heliograph"),
                *("--redirect-uri", f"{PUBLIC_URL}/dashboard/callback"),
                *("--codes", str(codes), str(listener.fileno())),
            ],
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
        )
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            await_provider(url)
            yield LocalProvider(url, codes, process)
        finally:
            process.kill()
            process.wait()


def await_provider(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(httpx.HTTPError):
            httpx.get(f"{url}/.well-known/openid-configuration").raise_for_status()
            return
        assert time.monotonic() < deadline, "the provider does not start"
        time.sleep(0.05)


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def path_of(url: str) -> str:
    """Without the host: a test's browser is at the gateway already."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"
