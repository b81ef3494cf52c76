"""The demo as the README starts it: what it takes while it has nothing to do, and its own sign-in
against the other users of its machine."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from acceptance.running_program import Program, running, wait_for
from debian_programs import need_program
from process_memory import family_of, memory_of

OTHER = "nobody"
MOST = 215  # MiB, the private PostgreSQL and the local sign-in included


@pytest.fixture(scope="module")
def program(data_dir: Path) -> Iterator[Program]:
    with running(data_dir, nodes="1") as started:
        yield started


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells what a process has for itself"
)
def test_an_idle_demo_takes_little_memory(program: Program) -> None:
    def together() -> float:
        """Processes of PostgreSQL come and go while they are counted."""
        sizes = 0.0
        for process in family_of(program.process.pid):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                sizes += memory_of(process)
        return sizes

    wait_for(lambda: together() < MOST, 60)


def run_as_other(*command: str) -> "subprocess.CompletedProcess[str]":
    if os.geteuid() != 0:
        pytest.skip("needs root, to become another user")
    need_program("curl", "curl")
    return subprocess.run(
        command, user=OTHER, group="nogroup", cwd="/", capture_output=True, text=True, check=False
    )


def curl(*arguments: str) -> str:
    """Status, where it leads, and the page."""
    done = run_as_other(
        *("curl", "-sS", "--max-time", "20", "-w", "\n%{http_code} %{redirect_url}"), *arguments
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_another_user_of_the_machine_does_not_get_in(program: Program) -> None:
    jar = Path(tempfile.mkdtemp(dir="/tmp")) / "jar"
    jar.parent.chmod(0o777)
    cookies = ("-b", str(jar), "-c", str(jar))
    began = curl(*cookies, program.demo["base_url"] + "/dashboard/sign-in/start")
    provider = began.split()[-1]
    assert "Sign-in code" in curl(provider)
    for tried in ("", program.sign_in_code[:-1], "AAAA-AAAA"):
        form = ("-d", f"code={tried}", "-d", "email=you@example.com")
        assert curl(*form, provider).split()[-1] == "403"
    for name in ("sign-in-code", "demo.json", "secret.key"):
        assert run_as_other("cat", str(program.data_dir / name)).returncode != 0
    for path in ("/jwks", "/.well-known/openid-configuration", "/authorize", "/token"):
        answer = curl("-d", "", f"{_origin(provider)}{path}")
        assert "eyJ" not in answer
        assert program.sign_in_code not in answer
    assert curl(*cookies, program.demo["base_url"] + "/dashboard").endswith("/dashboard/sign-in")
    assert program.rows("SELECT 1 FROM users") == []


def test_whoever_guesses_is_not_let_in_and_locks_nobody_out(program: Program) -> None:
    url = httpx.get(program.demo["base_url"] + "/dashboard/sign-in/start").headers["location"]
    form = {"code": "BBBB-BBBB", "email": "mallory@example.com"}
    seen = [httpx.post(url, data=form).status_code for _ in range(11)]
    assert seen == [403] * 11
    again = httpx.post(url, data=form | {"code": program.sign_in_code})
    assert again.status_code == 303
    assert program.rows("SELECT 1 FROM users") == []


def test_an_open_redirect_is_none_of_its_answers(program: Program) -> None:
    url = httpx.get(program.demo["base_url"] + "/dashboard/sign-in/start").headers["location"]
    for change in (
        {"redirect_uri": "https://evil.example.com/dashboard/callback"},
        {"client_id": "another"},
        {"code_challenge_method": "plain"},
        {"response_type": "token"},
        {"scope": "email"},
    ):
        answer = httpx.get(httpx.URL(url).copy_merge_params(change))
        assert (answer.status_code, "evil" in answer.text) == (400, False)


def test_who_leaves_in_the_middle_of_a_form_costs_no_line_in_the_terminal(program: Program) -> None:
    base_url = program.demo["base_url"]
    provider = httpx.get(f"{base_url}/dashboard/sign-in/start").headers["location"]
    for url in (f"{_origin(provider)}/token", f"{base_url}/try-out"):
        leave_half_way(url)
        httpx.get(url)
    assert "Traceback" not in program.printed


def leave_half_way(url: str) -> None:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port)) as client:
        head = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: 9\r\n\r\n"
        client.sendall(head.encode() + b"half")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def test_a_shops_day_fills_its_pages(program: Program) -> None:
    assert "events). Look at" in program.cli("demo", "fill")
    found = program.get("/api/v1/conversations")["conversations"]
    names = {each["display_name"]: each for each in found}
    assert len(names) == 8
    assert names["Hugo Haddad"]["status"] == "closed"
    assert [label["name"] for label in names["Elif Eriksen"]["labels"]] == ["Complaint"]
    ada = names["Ada Abara"]["id"]
    said = program.get(f"/api/v1/messages?conversation_id={ada}")["messages"]
    assert [each["message_type"] for each in reversed(said)] == [
        *("buttons", "button_reply", "text", "text")
    ]
    assert "events). Look at" in program.cli("demo", "fill")


def test_without_a_running_demo_there_is_nothing_to_fill(tmp_path: Path) -> None:
    environment = os.environ | {"HELIOGRAPH_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "heliograph", "demo", "fill"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "No demo is running" in done.stderr
