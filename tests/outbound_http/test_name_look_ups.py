"""Names are found as the machine is set up to, and those that nobody answers for harm no others."""

import asyncio
import socket
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from each_case import for_each
from heliograph.core.tenants.model import Tenant, operator
from heliograph.core.webhooks.posting.worker import MAX_IN_FLIGHT_OF_ONE
from heliograph.platform.outbound_http import (
    AddressPolicy,
    DnsError,
    GuardedClient,
    RefusedAddressError,
    SystemResolver,
)
from name_server import NameServer, serving_names
from namespaces import need_namespaces
from waiting import until
from webhook_receiver import receiving
from webhook_scene import Scene, playing

HOME = ["127.0.0.1"]


@asynccontextmanager
async def resolving(server: NameServer) -> AsyncIterator[SystemResolver]:
    resolver = SystemResolver(ttl=0, name_servers=[server.address])
    try:
        yield resolver
    finally:
        await resolver.close()


@for_each(
    ("host", "addresses"),
    [
        ("hooks.example", HOME),
        ("HOOKS.Example", HOME),
        ("hooks.example.", HOME),
        ("a_b.example", HOME),
        ("-.example", HOME),
        ("xn--bcher-kva.example", HOME),
        ("six.example", ["::1"]),
        ("1.2.3.4", ["1.2.3.4"]),
    ],
)
async def test_names_in_the_forms_that_a_url_may_have(host: str, addresses: list[str]) -> None:
    names = ("hooks.example", "a_b.example", "-.example", "xn--bcher-kva.example")
    zone = {**dict.fromkeys(names, HOME), "six.example": ["::1"]}
    async with (
        serving_names(zone) as server,
        resolving(server) as resolver,
    ):
        assert list(await resolver(host)) == addresses


async def test_both_kinds_of_address_are_found() -> None:
    async with (
        serving_names({"both.example": ["127.0.0.1", "::1"]}) as server,
        resolving(server) as resolver,
    ):
        assert set(await resolver("both.example")) == {"127.0.0.1", "::1"}


@pytest.mark.parametrize("host", ["localhost", socket.gethostname()])
async def test_names_of_this_machine_are_asked_of_nobody(host: str) -> None:
    known = {found[4][0] for found in socket.getaddrinfo(host, None)}
    async with serving_names({}) as server, resolving(server) as resolver:
        assert set(await resolver(host)) & known
        assert server.asked == []


@pytest.mark.parametrize("host", ["nobody.example", "empty.example"])
async def test_a_name_without_an_address(host: str) -> None:
    async with (
        serving_names({"empty.example": []}) as server,
        resolving(server) as resolver,
    ):
        with pytest.raises(DnsError, match="does not exist or has no address"):
            await resolver(host)


_LOOK_UP = """
import asyncio, sys
from heliograph.platform.outbound_http import DnsError, SystemResolver

async def run():
    resolver = SystemResolver(ttl=0)
    loop = asyncio.get_running_loop()
    while host := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        try:
            print(*await resolver(host), flush=True)
        except DnsError as error:
            print(error, flush=True)

asyncio.run(run())
"""


@asynccontextmanager
async def program_with(resolv_conf: Path) -> AsyncIterator[Callable[[str], Awaitable[str]]]:
    """A program for which `resolv_conf` is the machine's, and which is asked for names."""
    process = await asyncio.create_subprocess_exec(
        *need_namespaces("mount"),
        *("sh", "-c", 'mount --bind "$1" $(readlink -f /etc/resolv.conf) && shift && exec "$@"'),
        *("sh", str(resolv_conf), sys.executable, "-c", _LOOK_UP),
        stdin=PIPE,
        stdout=PIPE,
    )
    writer, reader = process.stdin, process.stdout
    assert writer is not None
    assert reader is not None

    async def ask(host: str) -> str:
        writer.write(f"{host}\n".encode())
        return (await reader.readline()).decode().strip()

    try:
        yield ask
    finally:
        writer.close()
        await process.wait()


async def test_resolv_conf_is_followed_and_read_anew_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "resolv.conf"
    async with (
        serving_names({"h.corp.example": HOME}) as one,
        serving_names({"h.else.example": ["127.0.0.2"]}) as other,
    ):
        file.write_text(f"nameserver {one.address}\nsearch corp.example\n")
        async with program_with(file) as ask:
            assert await ask("h") == "127.0.0.1"
            assert await ask("h.corp.example") == "127.0.0.1"
            # In its place: no event of the folder /etc tells of it.
            file.write_text(f"nameserver {other.address}\nsearch else.example\n")
            assert await ask("h") == "127.0.0.2"
            assert "does not exist" in await ask("h.corp.example")


async def test_look_ups_that_wait_end_with_the_resolver() -> None:
    async with serving_names({}, ".dead.example") as server:
        async with resolving(server) as resolver:
            waiting = asyncio.create_task(resolver("h.dead.example"))
            await asyncio.wait([waiting], timeout=0.1)
        with pytest.raises((asyncio.CancelledError, DnsError)):
            await waiting


async def test_what_a_name_server_says_is_judged_and_dialled() -> None:
    async with (
        receiving() as receiver,
        serving_names({"good.example": HOME, "inner.example": ["10.0.0.1"]}) as server,
        resolving(server) as resolver,
    ):
        client = GuardedClient(AddressPolicy.LOOPBACK, resolver)
        url = receiver.url("/").replace("127.0.0.1", "good.example")
        assert (await client.post(url, {}, b"{}")).address == "127.0.0.1"
        with pytest.raises(RefusedAddressError):
            await client.post("http://inner.example/", {}, b"{}")
        await client.close()


async def test_names_that_are_never_answered_hold_up_no_other_organization(
    database_url: str,
) -> None:
    """200 webhooks of one organization, each at a name of its own, and one of another's."""
    async with (
        serving_names({"good.example": HOME}, ".dead.example") as server,
        resolving(server) as resolver,
        receiving() as receiver,
        playing(database_url, resolver=resolver) as scene,
    ):
        dead = await add_webhooks(scene, 200)
        url = receiver.url("/").replace("127.0.0.1", "good.example")
        await scene.webhooks.create(scene.principal, url)
        async with scene.node():
            await scene.emit(*(scene.event(tenant=dead) for _ in range(10)))
            await until_asked(server, MAX_IN_FLIGHT_OF_ONE // 10)
            await scene.emit(*(scene.event() for _ in range(20)))
            await receiver.wait_for(20)
            statuses = await scene.rows(
                "SELECT DISTINCT status FROM deliveries WHERE organization_id = $1",
                dead.organization_id,
            )
            assert not {"delivered"} & {row["status"] for row in statuses}
            ended = await scene.rows(
                "SELECT attempt_count FROM deliveries WHERE organization_id = $1",
                scene.tenant.organization_id,
            )
            assert all(delivery["attempt_count"] == 1 for delivery in ended)
            waiting = await scene.rows(
                "SELECT attempt_count FROM delivery_queue WHERE organization_id = $1",
                scene.tenant.organization_id,
            )
            assert all(delivery["attempt_count"] == 0 for delivery in waiting)


async def add_webhooks(scene: Scene, count: int) -> Tenant:
    tenant = Tenant(scene.tenant.shard, scene.database.clock.new_id())
    for number in range(count):
        await scene.webhooks.create(operator(tenant), f"http://h{number}.dead.example/")
    return tenant


async def until_asked(server: NameServer, count: int) -> None:
    await until(lambda: len(set(server.asked)) >= count)
