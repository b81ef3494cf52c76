"""The guarded client against real servers that behave as badly as they can."""

import asyncio
import gzip
import resource
import socket
import ssl
import time
from collections.abc import Sequence
from contextlib import suppress
from email.utils import formatdate
from ipaddress import ip_address
from math import inf

import pytest
import trustme

from each_case import for_each
from heliograph.platform.outbound_http import (
    AddressPolicy,
    ConnectError,
    DeadlineError,
    DnsError,
    GuardedClient,
    InvalidUrlError,
    OutboundError,
    OwnPorts,
    ProtocolError,
    RefusedAddressError,
    SystemResolver,
    TlsError,
)
from heliograph.platform.outbound_http.own_ports import is_own_address
from heliograph.platform.outbound_http.retry_after import parse_retry_after
from odd_servers import (
    HOST,
    MEBIBYTE,
    NOW,
    Behaviour,
    Connection,
    answering,
    client_for,
    flooding,
    hang,
    response,
    serving,
)
from resolvers import Names


async def refusal(behaviour: Behaviour, *, timeout: float = 5) -> OutboundError:
    """The error that posting to such a server ends with."""
    async with serving(behaviour) as server, client_for(timeout=timeout) as client:
        with pytest.raises(OutboundError) as failed:
            await client.post(server.url(), {}, b"{}")
        assert failed.value.address == "127.0.0.1"
        assert 0 < failed.value.duration_ms < (timeout + 1) * 1000
        return failed.value


# --- what is sent and what comes back --------------------------------------------------------


async def test_the_body_goes_out_as_it_is_and_the_answer_comes_back() -> None:
    async with serving(answering(response("héllo\x00".encode()))) as server, client_for() as client:
        answer = await client.post(
            server.url(), {"content-type": "application/json", "webhook-id": "evt_1"}, b'{"a": 1}'
        )
    head, body = server.requests[0]
    assert (answer.status, answer.body, answer.address) == (200, "héllo", "127.0.0.1")
    assert answer.retry_after is None
    assert 0 < answer.duration_ms < 5000
    assert body == b'{"a": 1}'
    sent = head.decode().lower()
    assert sent.startswith("post /hook http/1.1\r\n")
    assert f"host: {HOST}:{server.port}\r\n" in sent
    assert "webhook-id: evt_1\r\n" in sent
    assert "user-agent: heliograph/" in sent
    assert "accept-encoding" not in sent


@for_each("status", ["204 No Content", "410 Gone", "500 Oops", "599 Odd"])
async def test_every_status_is_an_answer(status: str) -> None:
    behaviour = answering(response(status=status))
    async with serving(behaviour) as server, client_for() as client:
        assert (await client.post(server.url(), {}, b"")).status == int(status[:3])


async def test_a_redirect_is_not_followed() -> None:
    async def other(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(response())

    async with serving(other) as inner:
        location = f"location: {inner.url('127.0.0.1')}"
        behaviour = answering(response(b"moved", location, status="307 Temporary Redirect"))
        async with serving(behaviour) as server, client_for() as client:
            answer = await client.post(server.url(), {}, b"{}")
    assert (answer.status, answer.body) == (307, "moved")
    assert inner.connections == 0


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(answering(response(b"proxy"))) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with serving(answering(response(b"direct"))) as server, client_for() as client:
            assert (await client.post(server.url(), {}, b"")).body == "direct"
            assert server.connections == 1
    assert proxy.requests == []  # a connection may be a stranger's, who tries a free port


async def test_a_connection_is_used_again() -> None:
    async def patient(connection: Connection) -> None:
        while True:
            await connection.read_request()
            await connection.send(response(b"ok"))

    async with serving(patient) as server, client_for() as client:
        for _ in range(5):
            await client.post(server.url(), {}, b"{}")
    assert (server.connections, len(server.requests)) == (1, 5)


async def test_the_first_kibibyte_is_kept_without_half_a_character() -> None:
    body = b"a" + "é".encode() * 1000
    async with serving(answering(response(body))) as server, client_for() as client:
        assert (await client.post(server.url(), {}, b"")).body == "a" + "é" * 511


async def test_bytes_that_are_no_text_become_text_that_can_be_stored() -> None:
    async with (
        serving(answering(response(b"\x00\xff\xfe\x00ok\xc3"))) as server,
        client_for() as client,
    ):
        assert (await client.post(server.url(), {}, b"")).body == "��ok�"


async def test_a_trailer_is_no_header() -> None:
    trailing = (
        b"HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n0\r\nretry-after: 200\r\n\r\n"
    )
    async with serving(answering(trailing)) as server, client_for() as client:
        assert (await client.post(server.url(), {}, b"")).retry_after is None


async def test_a_header_of_the_callers_takes_the_place_of_ours_in_whatever_case() -> None:
    async with serving(answering(response())) as server, client_for() as client:
        await client.post(server.url(), {"Accept": "text/x", "X-Mine": "A"}, b"{}")
    lines = server.requests[0][0].split(b"\r\n")
    assert [line for line in lines if line.lower().startswith(b"accept")] == [b"Accept: text/x"]
    assert b"X-Mine: A" in lines


async def test_retry_after_is_read() -> None:
    busy = response(b"", "retry-after: 120", status="503 Busy")
    async with serving(answering(busy)) as server, client_for() as client:
        assert (await client.post(server.url(), {}, b"")).retry_after == 120


@for_each(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0),
        (" 7 ", 7),
        (formatdate(NOW + 90, usegmt=True), 90),
        (formatdate(NOW - 90, usegmt=True), 0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("10000000000", 1e10),
        ("9" * 20, 1e20),
        ("0" * 5000 + "7", 7),
        ("9" * 5000, inf),
        ("Mon, 99 Foo 2025 99:99:99 GMT", None),
        ("", None),
    ],
)
def test_the_forms_of_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


def test_a_date_without_a_zone_is_in_gmt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Etc/GMT+5")
    time.tzset()
    try:
        assert parse_retry_after(time.asctime(time.gmtime(NOW + 90)), NOW) == 90
    finally:
        monkeypatch.undo()
        time.tzset()


# --- servers that misbehave ------------------------------------------------------------------


async def test_a_server_that_hangs_is_left_at_the_deadline() -> None:
    async with serving(hang) as server, client_for(timeout=0.3) as client:
        with pytest.raises(DeadlineError, match=r"within 0\.3 s"):
            await client.post(server.url(), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)


async def test_a_server_that_dribbles_is_left_at_the_deadline() -> None:
    async def dribble(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            await connection.send(b"a")
            await asyncio.sleep(0.05)

    async with serving(dribble) as server, client_for(timeout=0.3) as client:
        with pytest.raises(DeadlineError):
            await client.post(server.url(), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)
    assert server.sent < 100


@for_each("pause", [0, 0.01])
async def test_answers_that_only_announce_another_without_end_are_no_answer(pause: float) -> None:
    async def hint(connection: Connection) -> None:
        await connection.read_request()
        while True:
            await connection.send(b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
            await asyncio.sleep(pause)

    kind = ProtocolError if pause == 0 else DeadlineError
    assert isinstance(await refusal(hint, timeout=0.3 if pause else 60), kind)


@for_each("endless", [b"link: </a>\r\n", b"a"])
async def test_a_head_without_end_is_read_for_64_kibibytes(endless: bytes) -> None:
    flood = flooding(b"HTTP/1.1 200 OK\r\nx: ", endless * 1000)
    assert isinstance(await refusal(flood, timeout=60), ProtocolError)


@for_each(
    "endless",
    [
        pytest.param(b"1\r\na\r\n", id="chunks of a byte"),
        pytest.param(b"1;" + b"e" * 4000 + b"\r\na\r\n", id="chunks with long extensions"),
        pytest.param(b"1;" + b"e" * (8 << 20), id="an extension without end"),
    ],
)
async def test_a_chunked_body_without_end_is_cut_by_what_it_takes(endless: bytes) -> None:
    flood = flooding(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", endless * 10)
    async with serving(flood) as server, client_for(timeout=60) as client:
        assert (await client.post(server.url(), {}, b"{}")).status == 200
        await asyncio.wait_for(server.gone.wait(), 30)


async def test_an_endless_body_is_cut_after_64_kibibytes_and_the_connection_dropped() -> None:
    flood = flooding(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with serving(flood) as server, client_for() as client:
        answer = await client.post(server.url(), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (answer.status, answer.body) == (200, "x" * 1024)
    assert server.sent < 32 * MEBIBYTE  # what the kernel's buffers on both sides take
    assert grown < 32 * 1024  # KiB


async def test_a_gzip_bomb_stays_packed() -> None:
    bomb = gzip.compress(bytes(64 * MEBIBYTE))
    behaviour = answering(response(bomb, "content-encoding: gzip"))
    async with serving(behaviour) as server, client_for() as client:
        answer = await client.post(server.url(), {}, b"{}")
    assert answer.status == 200
    assert answer.body.startswith("\x1f�")


@for_each(
    "answer",
    [
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n", id="another protocol"),
        pytest.param(b"", id="closed without an answer"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-le", id="closed within the head"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab", id="closed within the body"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nab", id="two lengths"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", id="bad chunk"
        ),
        pytest.param(b"HTTP/1.1 200 OK\r\nx: " + b"a" * MEBIBYTE + b"\r\n\r\n", id="1 MiB head"),
        pytest.param(b"HTTP/1.1 200 OK\r\n" + b"x: a\r\n" * 5000 + b"\r\n", id="5000 fields"),
        pytest.param(b"HTTP/1.1 000 Nothing\r\n\r\n", id="status 0"),
        pytest.param(b"RTSP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", id="RTSP"),
        pytest.param(b"\r\nICE/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", id="ICE"),
        pytest.param(
            (b"HTTP/1.1 103 Hint\r\n" + b"x:\r\n" * 60 + b"\r\n") * 2 + response(),
            id="120 fields of two heads",
        ),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" * 200 + response(), id="200 heads"),
        pytest.param(b"HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n", id="another version"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n", id="announced and closed"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n",
            id="closed between chunks",
        ),
    ],
)
async def test_what_is_no_http_answer(answer: bytes) -> None:
    error = await refusal(answering(answer))
    assert isinstance(error, ProtocolError)
    assert str(error).endswith(".")


@for_each(
    ("answer", "status", "body"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\nab", 200, "ab", id="no length"),
        pytest.param(b"HTTP/1.0 201 OK\r\n\r\nab", 201, "ab", id="HTTP/1.0"),
        pytest.param(b"HTTP/1.1 200 OK\ncontent-length: 2\n\nab", 200, "ab", id="no CR"),
        pytest.param(b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nab", 200, "ab", id="no reason"),
        pytest.param(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nx: y\r\n\r\n"
            + response(b"ab"),
            200,
            "ab",
            id="announced twice",
        ),
        pytest.param(
            b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nab",
            101,
            "",
            id="another protocol from now on",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
            b"1 \r\na\r\n1;x=y\r\nb\r\n0\r\nt: r\r\n\r\n",
            200,
            "ab",
            id="chunks, extensions and a trailer",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nab", 200, "ab", id="until it closes"
        ),
        pytest.param(
            b"HTTP/1.1 103 Hint\r\nconnection: close\r\n\r\n" + response(b"ab"),
            200,
            "ab",
            id="announced with the end of the connection",
        ),
        pytest.param(
            b"HTTP/1.0 100 Continue\r\n\r\n" + response(b"ab"), 200, "ab", id="announced in 1.0"
        ),
        pytest.param(b"HTTP/1.1 304 Not\r\ncontent-length: 9\r\n\r\n", 304, "", id="no body"),
    ],
)
async def test_every_form_of_an_answer_is_read(answer: bytes, status: int, body: str) -> None:
    async with serving(answering(answer)) as server, client_for() as client:
        found = await client.post(server.url(), {}, b"{}")
    assert (found.status, found.body) == (status, body)


async def test_a_reset_is_no_answer() -> None:
    async def reset(connection: Connection) -> None:
        await connection.read_request()
        connection.reset()

    assert isinstance(await refusal(reset), ProtocolError)


async def test_one_bad_server_does_not_hold_up_another() -> None:
    async def hang(connection: Connection) -> None:
        await connection.reader.readuntil(b"never")

    async with (
        serving(hang) as bad,
        serving(answering(response())) as good,
        client_for(timeout=60) as client,
    ):
        stuck = [asyncio.create_task(client.post(bad.url(), {}, b"{}")) for _ in range(50)]
        await asyncio.sleep(0.1)
        answer = await client.post(good.url(), {}, b"{}")
        assert not any(task.done() for task in stuck)
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
    assert answer.status == 200


# --- where it goes ---------------------------------------------------------------------------


async def test_nobody_listens() -> None:
    async with serving(answering(response())) as server:
        pass
    async with client_for() as client:
        with pytest.raises(ConnectError, match="refused") as failed:
            await client.post(server.url(), {}, b"{}")
    assert failed.value.address == "127.0.0.1"


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    async with (
        serving(answering(response())) as server,
        client_for(["127.0.0.99", "127.0.0.1"]) as client,
    ):
        answer = await client.post(server.url(), {}, b"{}")
    assert answer.address == "127.0.0.1"


@for_each(
    "host", [HOST, "HOOKS.Invalid", "hooks.invalid.", "a_b.invalid", "bücher.invalid", "-.invalid"]
)
async def test_the_checked_address_is_dialled_however_the_name_is_spelled(host: str) -> None:
    async with serving(answering(response())) as server, client_for() as client:
        assert (await client.post(server.url(host), {}, b"{}")).address == "127.0.0.1"


@for_each("host", ["127.0.0.1", "2130706433", "0x7f.1", "127.1"])
async def test_an_address_in_the_url_is_dialled_itself(host: str) -> None:
    async with serving(answering(response())) as server, client_for(["10.0.0.1"]) as client:
        assert (await client.post(server.url(host), {}, b"{}")).address == "127.0.0.1"
        with pytest.raises(RefusedAddressError):
            await client.post("http://10.0.0.1/", {}, b"{}")


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["10.0.0.1"]])
async def test_a_name_with_one_address_that_is_not_public_is_refused(answers: list[str]) -> None:
    async with (
        serving(answering(response())) as server,
        client_for(answers, policy=AddressPolicy.NONE) as client,
    ):
        with pytest.raises(RefusedAddressError) as refused:
            await client.post(server.url(), {}, b"{}")
    assert server.connections == 0
    assert refused.value.address is None
    assert refused.value.refused == answers[-1]
    assert answers[-1] not in str(refused.value)


def own_addresses() -> list[str]:
    """Where this machine is reached, in all the forms that could be dialled. Sends nothing."""
    found = ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1"]
    for family, elsewhere in ((socket.AF_INET, "198.51.100.1"), (socket.AF_INET6, "2001:db8::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as probe, suppress(OSError):
            probe.connect((elsewhere, 9))
            found.append(probe.getsockname()[0])
    return [*found, *(f"::ffff:{each}" for each in found if ":" not in each)]


@for_each("address", own_addresses())
async def test_a_port_of_the_gateways_own_is_refused_at_every_address_of_the_machine(
    address: str,
) -> None:
    async with serving(answering(response())) as server:

        async def ask() -> set[int]:
            return {server.port}

        host = f"[{address}]" if ":" in address else address
        for own in (OwnPorts([server.port]), OwnPorts([], ask)):
            async with client_for([address], policy=AddressPolicy.ALL, own_ports=own) as client:
                for url in (server.url(), server.url(host)):
                    with pytest.raises(RefusedAddressError, match="of the gateway itself"):
                        await client.post(url, {}, b"{}")
    assert server.connections == 0


@pytest.mark.parametrize("address", ["198.51.100.1", "8.8.8.8", "2606:4700::1111"])
def test_the_same_port_of_another_machine_is_none_of_it(address: str) -> None:
    assert not is_own_address(ip_address(address))


async def test_a_request_that_never_finds_out_which_ports_are_own_ends_too() -> None:
    async def hang() -> set[int]:
        await asyncio.sleep(600)
        return set()

    async with (
        serving(answering(response())) as server,
        client_for(own_ports=OwnPorts([], hang), timeout=0.2) as client,
        asyncio.timeout(60),
    ):
        with pytest.raises(DeadlineError):
            await client.post(server.url("127.0.0.1"), {}, b"{}")
    assert server.connections == 0


async def test_the_one_url_of_the_gateways_own_that_takes_webhooks_is_posted_to() -> None:
    async with serving(answering(response())) as server:
        url = server.url("127.0.0.1")
        own = OwnPorts([server.port], open_url=url)
        async with client_for(own_ports=own) as client:
            assert (await client.post(url, {}, b"{}")).status == 200
            with pytest.raises(RefusedAddressError):
                await client.post(url + "?x", {}, b"{}")


async def test_a_name_that_turns_to_a_private_address_is_refused_then() -> None:
    async with (
        serving(answering(response())) as server,
        client_for(["127.0.0.1"], ["10.0.0.1"]) as client,
    ):
        assert (await client.post(server.url(), {}, b"{}")).status == 200
        with pytest.raises(RefusedAddressError, match="a private address"):
            await client.post(server.url(), {}, b"{}")
    assert server.connections == 1


async def test_a_name_that_moves_is_dialled_at_its_new_address() -> None:
    async def patient(connection: Connection) -> None:
        while True:
            await connection.read_request()
            await connection.send(response())

    async with (
        serving(patient) as server,
        client_for(["127.0.0.1"], ["127.0.0.99"]) as client,
    ):
        await client.post(server.url(), {}, b"{}")
        with pytest.raises(ConnectError) as failed:  # the idle connection is not used
            await client.post(server.url(), {}, b"{}")
    assert failed.value.address == "127.0.0.99"


async def test_a_bad_url_is_refused_before_anything_is_asked() -> None:
    async with client_for() as client:
        with pytest.raises(InvalidUrlError):
            await client.post("ftp://hooks.invalid/", {}, b"{}")


# --- names -----------------------------------------------------------------------------------


async def test_name_servers_that_hang_are_left_at_the_deadline() -> None:
    async def hang(_: str) -> Sequence[str]:
        await asyncio.sleep(60)
        return []

    client = GuardedClient(AddressPolicy.NONE, Names(hang), timeout=0.2)
    started = time.perf_counter()
    with pytest.raises(DeadlineError, match="name servers") as failed:
        await client.post("http://hooks.invalid/", {}, b"{}")
    assert time.perf_counter() - started < 30
    assert failed.value.address is None
    assert failed.value.duration_ms >= 200


@pytest.mark.parametrize("answer", [[], ["not an address"]])
async def test_an_empty_or_odd_answer_is_a_dns_error(answer: list[str]) -> None:
    async with client_for(answer) as client:
        with pytest.raises(DnsError):
            await client.post("http://hooks.invalid/", {}, b"{}")


async def test_the_system_is_asked_for_names() -> None:
    resolver = SystemResolver()
    client = GuardedClient(AddressPolicy.LOOPBACK, resolver, timeout=60)
    async with serving(answering(response())) as server:
        assert (await client.post(server.url("localhost"), {}, b"{}")).address == "127.0.0.1"
        with pytest.raises(DnsError, match=r"hooks\.invalid"):
            await client.post(server.url(), {}, b"{}")
    await client.close()
    await resolver.close()


async def test_the_system_is_asked_once_for_those_who_ask_together() -> None:
    resolver = SystemResolver(ttl=0.05, max_names=2)
    first = await asyncio.gather(*(resolver("localhost") for _ in range(100)))
    assert all(answer is first[0] for answer in first)
    await asyncio.sleep(0.2)
    assert resolver.find_kept("localhost") is None
    assert await resolver("localhost") is not first[0]
    await resolver.close()


async def test_an_answer_that_is_kept_is_found_without_asking_and_an_error_is_not() -> None:
    resolver = SystemResolver(ttl=600)
    assert resolver.find_kept("localhost") is None
    answer = await resolver("localhost")
    assert resolver.find_kept("localhost") is answer
    for _ in range(2):
        with pytest.raises(DnsError):
            await resolver(HOST)
        assert resolver.find_kept(HOST) is None
    await resolver.close()


# --- TLS -------------------------------------------------------------------------------------


def tls_server(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


async def test_a_trusted_certificate_of_that_name_is_taken() -> None:
    authority = trustme.CA()
    async with (
        serving(answering(response(b"ok")), tls_server(authority, HOST)) as server,
        client_for(root_certificates=authority.cert_pem.bytes()) as client,
    ):
        assert (await client.post(server.url(scheme="https"), {}, b"{}")).body == "ok"


@pytest.mark.parametrize(("name", "trusted"), [(HOST, False), ("other.invalid", True)])
async def test_any_other_certificate_is_refused(name: str, trusted: bool) -> None:
    authority = trustme.CA()
    roots = authority.cert_pem.bytes() if trusted else None
    async with (
        serving(answering(response()), tls_server(authority, name)) as server,
        client_for(root_certificates=roots) as client,
    ):
        with pytest.raises(TlsError, match="certificate"):
            await client.post(server.url(scheme="https"), {}, b"{}")
    assert server.requests == []


async def test_https_to_a_server_without_tls() -> None:
    async def plain(connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with serving(plain) as server, client_for() as client:
        with pytest.raises(TlsError):
            await client.post(server.url(scheme="https"), {}, b"{}")


async def test_https_where_nobody_listens_is_no_matter_of_trust() -> None:
    async with serving(answering(response())) as server:
        pass
    async with client_for() as client:
        with pytest.raises(ConnectError, match="refused"):
            await client.post(server.url(scheme="https"), {}, b"{}")
