"""Files that are sent to a running gateway: many large ones at a time, and one without a key."""

import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from acceptance.running_program import Program, running
from process_memory import memory_of

MEDIA = "/api/v1/media"
MEBIBYTE = 1024 * 1024
CLIENTS, SIZE = 20, 16 * MEBIBYTE
"""In memory they would be 320 MiB, over what a node may take with them."""
MOST_MEMORY = 300
FILE = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def program(data_dir: Path) -> Iterator[Program]:
    with running(data_dir) as started:
        yield started


def upload(program: Program) -> httpx.Response:
    body = (os.urandom(MEBIBYTE) for _ in range(SIZE // MEBIBYTE))
    headers = FILE | {"Authorization": f"Bearer {program.demo['api_key']}"}
    url = program.demo["base_url"] + MEDIA
    with httpx.Client(timeout=120) as client:
        return client.post(url, headers=headers, content=body)


def test_many_large_files_at_a_time_take_little_memory(program: Program) -> None:
    [node] = program.nodes()
    seen, done = [memory_of(node)], threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            seen.append(memory_of(node))

    watching = threading.Thread(target=watch)
    watching.start()
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(upload, [program] * CLIENTS))
    done.set()
    watching.join()
    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json()["size"] for answer in answers} == {SIZE}
    assert max(seen) < MOST_MEMORY


def test_a_key_that_is_refused_is_told_before_a_byte_is_sent(program: Program) -> None:
    address = urlsplit(program.demo["base_url"])
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(
            f"POST {MEDIA} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer hg_no\r\n"
            f"Expect: 100-continue\r\nContent-Length: {2 * MEBIBYTE}\r\n\r\n".encode()
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 401")
