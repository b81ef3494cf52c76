"""Takes the dashboard's pictures, light and dark, of a gateway of its own: `make pictures`.

It plays a shop's day on the sandbox: people ask and press, the shop answers, a webhook is told.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread

import httpx
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich.progress import track

HERE = Path(__file__).parent
SIZE = {"width": 1440, "height": 900}
COLOURS = 224
CLI = (sys.executable, "-m", "heliograph")


class _Endpoint(BaseHTTPRequestHandler):
    """Takes every webhook."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nobody reads it."""


@contextmanager
def gateway() -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """What the demo says of itself, and the environment for commands beside it."""
    folder = Path(tempfile.mkdtemp(prefix="heliograph-pictures-"))
    folder.chmod(0o755)
    data = folder / "data"
    environment = os.environ | {"HELIOGRAPH_DATA_DIR": str(data), "HELIOGRAPH_PORT": "0"}
    process = subprocess.Popen(
        [*CLI, "serve", "--demo"], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        yield _await_demo(data), environment
    finally:
        process.terminate()
        process.wait(15)
        shutil.rmtree(folder, ignore_errors=True)


def _await_demo(data: Path) -> dict[str, str]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.2)
        try:
            demo: dict[str, str] = json.loads((data / "demo.json").read_text())
            headers = {"Authorization": f"Bearer {demo['api_key']}"}
            url = f"{demo['base_url']}/api/v1/devices?status=connected"
            if httpx.get(url, headers=headers).json()["total"]:
                return demo
        except (OSError, ValueError, httpx.HTTPError):
            continue
    raise RuntimeError("the gateway was not ready within a minute")


def play(demo: dict[str, str], environment: dict[str, str], endpoint: str) -> None:
    """A shop's day, and a webhook that hears of it."""

    def cli(*arguments: str) -> None:
        subprocess.run([*CLI, *arguments], env=environment, check=True, capture_output=True)

    cli("webhooks", "create", "--url", endpoint)
    cli("demo", "fill")
    time.sleep(2)


def sign_in(page: Page, data: Path) -> str:
    """The address of the demo's organization."""
    page.goto("/dashboard")
    page.get_by_role("link", name="Sign in on this machine").click()
    page.get_by_label("Sign-in code").fill((data / "sign-in-code").read_text().strip())
    page.get_by_label("E-mail address").fill("ada@example.com")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Overview").wait_for()
    return page.url


def pages(page: Page, home: str, account_id: str) -> dict[str, str]:
    """Each picture's name and its page's address."""
    page.goto(f"{home}/inbox")
    thread = page.locator("a.who", has_text="Ada Abara").first.get_attribute("href")
    page.goto(f"{home}/developers/deliveries")
    return {
        "overview": home,
        "messages": f"{home}/messages",
        "thread": str(thread),
        "devices": f"{home}/devices",
        "phone": f"{home}/phone/{account_id}",
        "keys": f"{home}/developers/keys",
        "deliveries": f"{home}/developers/deliveries",
        "members": f"{home}/members",
    }


def keep(image: bytes, path: Path) -> None:
    """With few colors: a page has no more."""
    picture = Image.open(BytesIO(image)).convert("RGB").quantize(COLOURS)
    picture.save(path, optimize=True)


def main() -> None:
    endpoint = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    Thread(target=endpoint.serve_forever, daemon=True).start()
    with gateway() as (demo, environment), sync_playwright() as playwright:
        play(demo, environment, f"http://127.0.0.1:{endpoint.server_address[1]}/hook")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            context = browser.new_context(
                base_url=demo["base_url"],
                color_scheme="dark" if scheme == "dark" else "light",
                viewport={"width": SIZE["width"], "height": SIZE["height"]},
            )
            page = context.new_page()
            home = sign_in(page, Path(environment["HELIOGRAPH_DATA_DIR"]))
            found = pages(page, home, demo["chat_account_id"])
            for name, address in track(found.items(), description=scheme):
                page.goto(address, wait_until="load")
                page.wait_for_timeout(400)  # what is drawn by scripts is there then
                keep(page.screenshot(), HERE / f"dashboard-{name}-{scheme}.png")
            context.close()
        browser.close()
    endpoint.shutdown()


if __name__ == "__main__":
    main()
