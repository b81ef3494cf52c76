"""Hundreds of hostile URLs and a name server that changes its mind: not one connection outside the
allowed set.

The gateway's side runs in a network namespace where every address of the world leads to servers of
ours, which note who was dialled, and where the resolver asks a name server of ours. Every
connect(2) of the process is written down by strace besides. Neither can be talked out of it by the
code that is under test.
"""

import asyncio
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from database_proxy import proxied
from databases import fresh_database, run
from debian_programs import need_program
from hostile_urls import ALLOWED, REBINDING, list_urls
from namespaces import need_namespaces
from repository import IMPORT_PATH, SUPPORT
from ssrf_gateway import PLANTED, ROUNDS
from ssrf_internet import CONTROL_PORT, RESOLV_CONF

_INET = re.compile(
    r"connect\(\d+, \{sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?\"([0-9a-f.:]+)\""
)
_ASKED = ("127.0.0.1", 53)


@dataclass(frozen=True)
class Trip:
    """`dialled` is what the servers saw, `connects` what the process asked the system for."""

    taken: dict[str, list[str]]
    attempts: list[dict[str, Any]]
    dialled: set[tuple[str, int]]
    connects: set[tuple[str, int]]

    def attempts_at(self, kind: str) -> list[dict[str, Any]]:
        urls = set(list_urls()[kind])
        return [attempt for attempt in self.attempts if attempt["url"] in urls]


def travel(database_url: str, folder: Path, *more: str) -> Trip:
    """Run the gateway's side against all URLs, in an internet of its own."""
    need_program("ip", "iproute2")
    need_program("strace", "strace")
    namespace = need_namespaces("net", "mount")
    dialled, connects = folder / "dialled", folder / "connects"
    names = folder / "resolv.conf"
    names.write_text(RESOLV_CONF)
    mount = f'mount --bind {names} $(readlink -f /etc/resolv.conf) && exec "$@"'
    trace = ("strace", "-f", "-qq", "-e", "trace=connect", "-e", "signal=none", "-o", str(connects))
    python = (sys.executable, "-B")
    done = subprocess.run(
        [
            *(*namespace, "sh", "-c", mount, "sh"),
            *(*python, str(SUPPORT / "ssrf_internet.py"), str(dialled)),
            *(*trace, *python, str(SUPPORT / "ssrf_gateway.py"), database_url, *more),
        ],
        check=False,
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": IMPORT_PATH},
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    result = msgspec.json.decode(done.stdout[done.stdout.index(b'{"taken"') :])
    return Trip(
        result["taken"],
        result["attempts"],
        {_address(*line.split()) for line in dialled.read_text().splitlines()},
        {_address(host, port) for port, host in _INET.findall(connects.read_text())},
    )


def _address(host: str, port: str) -> tuple[str, int]:
    return host.removeprefix("::ffff:"), int(port)


@pytest.fixture(scope="module")
def trip(
    postgres_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Trip:
    with fresh_database(postgres_url, template_database) as url:
        return run(_travel_with_database(url, tmp_path_factory.mktemp("trip")))


async def _travel_with_database(database_url: str, folder: Path) -> Trip:
    """Through a socket file, since from an internet of its own no port of this one is reached."""
    async with proxied(database_url) as proxy:
        return await asyncio.to_thread(travel, proxy.url, folder)


def test_there_are_enough_of_them() -> None:
    hostile = list_urls()
    del hostile["good"]
    assert len({url for urls in hostile.values() for url in urls}) >= 400


def test_what_the_url_itself_tells_is_refused_at_registration(trip: Trip) -> None:
    assert trip.taken["refused"] == []


def test_no_server_outside_the_allowed_set_was_dialled(trip: Trip) -> None:
    assert {host for host, _ in trip.dialled} == ALLOWED


def test_nor_was_any_other_asked_for(trip: Trip) -> None:
    """Port 0 is the system's resolver, which sorts addresses by the way there and sends nothing."""
    own = {_ASKED, ("127.0.0.1", CONTROL_PORT)}
    asked = {address for address in trip.connects if address[1] != 0} - own
    assert {host for host, _ in asked} == ALLOWED


def test_every_url_had_its_attempts_and_each_says_why_it_came_to_nothing(trip: Trip) -> None:
    for kind in ("refused", "names"):
        attempts = trip.attempts_at(kind)
        storable = [url for url in list_urls()[kind] if "\x00" not in url]
        assert {attempt["url"] for attempt in attempts} == set(storable)
        for attempt in attempts:
            assert (attempt["response_code"], attempt["address"]) == (None, None)
            assert attempt["error_message"]


def test_a_name_that_rebinds_is_posted_to_while_it_is_harmless_and_no_longer(trip: Trip) -> None:
    for name, rounds in REBINDING.items():
        found = [a for a in trip.attempts_at("rebinding") if a["url"] == f"http://{name}/again"]
        assert len(found) >= ROUNDS
        for number, attempt in enumerate(found[:ROUNDS]):
            is_harmless = set(rounds[min(number, len(rounds) - 1)]) <= ALLOWED
            assert (attempt["response_code"] == 500) is is_harmless, (name, number, attempt)


def test_a_redirect_is_an_answer_and_not_followed(trip: Trip) -> None:
    codes = {attempt["response_code"] for attempt in trip.attempts_at("redirects")}
    assert codes == {301, 302, 303, 307, 308}


def test_a_good_url_is_reached_in_the_same_internet(trip: Trip) -> None:
    assert {attempt["response_code"] for attempt in trip.attempts_at("good")} == {500}


def test_both_watches_see_a_connection_that_must_not_be(database_url: str, tmp_path: Path) -> None:
    planted = travel(database_url, tmp_path, "--break-the-rule")
    assert PLANTED in planted.dialled
    assert PLANTED in planted.connects
