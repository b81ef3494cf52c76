"""`heliograph webhooks` and `heliograph listen`, run as programs beside a node that delivers."""

import asyncio
import base64
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook
from typer.testing import CliRunner

from database_proxy import proxied
from databases import PATIENTLY
from heliograph.core.organizations.sql import insert_organization
from heliograph.core.tenants.model import Organization
from heliograph.core.tenants.plans import DEFAULT_PLAN
from heliograph.core.webhooks.model import Batching
from heliograph.errors import HeliographError
from heliograph.faces.cli import app
from waiting import until
from webhook_receiver import always, answer, receiving
from webhook_scene import SECRET_KEY, Scene, playing


@dataclass
class Shell:
    """Runs the program with the settings of an installation."""

    environment: dict[str, str]

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "heliograph",
            *arguments,
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *arguments: str, code: int = 0) -> str:
        """What a command prints, in a thread of this process: starting a program takes seconds."""
        result = await asyncio.to_thread(
            CliRunner().invoke, app, arguments, env=dict(self.environment)
        )
        assert result.exit_code == code, (result.output, result.exception)
        if isinstance(result.exception, HeliographError):
            return str(result.exception)
        return result.stderr if code else result.stdout

    async def json(self, *arguments: str) -> Any:
        return json.loads(await self.run(*arguments, "--json"))

    @asynccontextmanager
    async def listening(self, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """`listen`, from the moment it is ready until Ctrl-C, which it takes well."""
        process = await self.start("listen", *arguments)
        assert process.stderr is not None
        greeting = await asyncio.wait_for(process.stderr.readline(), 60)
        assert b"Listening" in greeting
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(process.wait(), 60) == 0


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    """The scene's organization is the only one."""
    async with playing(database_url) as scene:
        organization = Organization(
            scene.tenant.organization_id,
            scene.tenant.shard,
            "Acme",
            DEFAULT_PLAN,
            scene.database.clock.now(),
        )
        await scene.database.transact(insert_organization, organization)
        yield scene


@pytest.fixture
def shell(scene: Scene) -> Shell:
    return Shell(
        os.environ
        | {
            "HELIOGRAPH_DATABASE_URL": scene.database_url,
            "HELIOGRAPH_SECRET_KEYS": base64.urlsafe_b64encode(SECRET_KEY.material).decode(),
            "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE": "loopback",
            "COLUMNS": "80",
            **PATIENTLY,
        }
    )


async def read_lines(process: asyncio.subprocess.Process, count: int) -> list[str]:
    assert process.stdout is not None
    async with asyncio.timeout(60):
        return [(await process.stdout.readline()).decode().rstrip("\n") for _ in range(count)]


async def test_create_prints_exactly_what_scripts_need(scene: Scene, shell: Shell) -> None:
    url = "https://example.com/hook"
    created = await shell.json(
        *("webhooks", "create", "--url", url, "--event", "message.*", "--event", "device.*")
    )
    assert list(created) == ["id", "url", "events", "secret"]
    assert created["url"] == url
    assert created["events"] == ["message.*", "device.*"]
    assert created["secret"].startswith("whsec_")
    [webhook] = await scene.webhooks.list(scene.principal)
    assert str(webhook.id) == created["id"]
    [listed] = await shell.json("webhooks", "list")
    assert listed["id"] == created["id"]
    assert "secret" not in listed


async def test_in_a_pipe_each_webhook_is_one_line(shell: Shell) -> None:
    assert await shell.run("webhooks", "list") == "This organization has no webhook yet.\n"
    create = ("webhooks", "create", "--url")
    first = await shell.json(*create, "https://example.com/a", "--event", "message.*")
    second = await shell.json(*create, "https://example.com/b", "--chat-type", "group")
    head, *lines = (await shell.run("webhooks", "list")).splitlines()
    assert head.split() == ["id", "url", "events", "chats", "state"]
    assert [line.split() for line in lines] == [
        [first["id"], "https://example.com/a", "message.*", "enabled"],
        [second["id"], "https://example.com/b", "*", "group", "enabled"],
    ]


async def test_a_url_that_is_refused_is_one_sentence(shell: Shell) -> None:
    process = await shell.start("webhooks", "create", "--url", "http://10.0.0.1/")
    output, said = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 1
    assert output == b""
    assert said.startswith(b"heliograph: ")
    assert len(said.splitlines()) == 1


async def test_a_webhook_s_life(scene: Scene, shell: Shell) -> None:
    async with (
        receiving() as receiver,
        scene.node(),
    ):
        created = await shell.json("webhooks", "create", "--url", receiver.url())
        webhook_id = created["id"]
        assert "answered 200" in await shell.run("webhooks", "ping", webhook_id)
        StandardWebhook(created["secret"]).verify(
            receiver.received[0].body, receiver.received[0].headers
        )

        rotated = await shell.json("webhooks", "rotate", webhook_id, "--grace", "0")
        await shell.run("webhooks", "ping", webhook_id)
        StandardWebhook(rotated["secret"]).verify(
            receiver.received[1].body, receiver.received[1].headers
        )

        assert (await shell.json("webhooks", "disable", webhook_id))["enabled"] is False
        assert "disabled" in await shell.run("webhooks", "ping", webhook_id, code=1)
        assert (await shell.json("webhooks", "enable", webhook_id))["enabled"] is True
        updated = await shell.json("webhooks", "update", webhook_id, "--event", "device.*")
        assert updated["events"] == ["device.*"]
        await shell.run("webhooks", "delete", webhook_id)
        assert await shell.json("webhooks", "list") == []


async def test_deliveries_are_shown_and_repeated(scene: Scene, shell: Shell) -> None:
    async with (
        receiving(always(answer(500, body=b"out of order"))) as receiver,
        scene.node(),
    ):
        created = await scene.webhooks.create(scene.principal, receiver.url())
        assert "500" in await shell.run("webhooks", "ping", str(created.webhook.id), code=1)
        await scene.emit(scene.event("message.delivered"))
        await scene.until_attempted()

        listed = await shell.json("webhooks", "deliveries", "--status", "pending")
        assert [delivery["event_type"] for delivery in listed] == [
            "message.delivered",
            "webhook.ping",
        ]
        table = await shell.run("webhooks", "deliveries")
        delivery_id = listed[0]["id"]
        assert delivery_id in table, "an id that is cut short can't be copied"
        assert "message.delivered" in table
        assert "out of order" in await shell.run("webhooks", "attempts", delivery_id)

        receiver.reply = always(answer(204))
        await shell.run("webhooks", "redeliver", delivery_id)
        told = await shell.run(
            *("webhooks", "redeliver", "--webhook", str(created.webhook.id)),
            *("--since", listed[0]["created_at"]),
        )
        assert told.startswith("1 event is")

        async def are_delivered() -> bool:
            return (await scene.statuses())[2:] == ["delivered", "delivered"]

        await until(are_delivered)
        await shell.run("webhooks", "redeliver", code=2)


async def test_listen_shows_verified_events(scene: Scene, shell: Shell) -> None:
    await scene.emit(scene.event("message.sent", content="before"))
    async with shell.listening("--event", "message.*") as process:
        await scene.emit(
            scene.event("device.connected"),
            scene.event(
                "message.received",
                phone_number="+15550100001",
                contact_name="Ada",
                content="Yes,\nplease",
                button={"id": "yes", "title": "Yes, please"},
                reply_to_message_id=str(UUID(int=5)),
            ),
        )
        first, second = await read_lines(process, 2)
    assert "✓ message.received" in first
    assert "+15550100001 Ada  “Yes, please”" in first
    assert "Yes, please" in second
    assert str(UUID(int=5)) in second


async def test_listen_passes_on_what_would_be_posted(scene: Scene, shell: Shell) -> None:
    async with receiving() as receiver:
        created = await scene.webhooks.create(scene.principal, "https://example.com/")
        webhook = ("--webhook", str(created.webhook.id))
        async with shell.listening("--forward-to", receiver.url(), "--json", *webhook) as process:
            [event] = await scene.emit(scene.event("message.sent", content="✓"))
            [line] = await read_lines(process, 1)
            [request] = await receiver.wait_for(1)
    assert request.body == event.payload
    shown = json.loads(line)
    assert shown["body"] == request.json
    assert all(request.headers[name] == value for name, value in shown["headers"].items())
    assert request.headers["user-agent"].startswith("Heliograph/")
    StandardWebhook(created.secret).verify(request.body, request.headers)


async def test_listen_says_when_passing_on_fails(scene: Scene, shell: Shell) -> None:
    async with receiving() as receiver:
        receiver.reply = always(answer(500))
        async with shell.listening("--forward-to", receiver.url()) as process:
            await scene.emit(scene.event("message.sent", content="one"))
            answered = (await read_lines(process, 2))[1]
    assert "→ 500" in answered


@pytest.mark.parametrize("url", ["ftp://example.com", "nonsense"])
async def test_listen_refuses_a_url_it_can_t_post_to(shell: Shell, url: str) -> None:
    assert "--forward-to" in await shell.run("listen", "--forward-to", url, code=2)


async def test_listen_misses_nothing_that_commits_late(scene: Scene, shell: Shell) -> None:
    """A transaction that took its place in the order first may end last."""
    async with shell.listening("--json") as process:
        late = scene.event("message.sent", n="late")
        async with scene.database.pool.acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            await scene.store(connection, late)
            await scene.emit(scene.event("message.sent", n="early"))
            [first] = await read_lines(process, 1)
            await transaction.commit()
        [second] = await read_lines(process, 1)
    assert json.loads(first)["body"]["data"]["n"] == "early"
    assert json.loads(second)["body"]["data"]["n"] == "late"


async def read_note(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    async with asyncio.timeout(60):
        line = ""
        while not line or line.startswith("{"):  # which is a line of the log
            read = await process.stderr.readline()
            assert read, "it has ended without a note"
            line = read.decode().strip()
    return line


async def test_who_listens_is_told_once_that_the_database_is_gone_and_once_that_it_is_back(
    scene: Scene,
    shell: Shell,
) -> None:
    async with proxied(scene.database_url) as proxy:
        beside = Shell(shell.environment | {"HELIOGRAPH_DATABASE_URL": proxy.url})
        async with beside.listening("--event", "message.received", "--json") as process:
            await proxy.disappear()
            assert "does not answer" in await read_note(process)
            await scene.emit(scene.event("message.received", content="meanwhile"))
            await proxy.listen()
            assert "It is back" in await read_note(process)
            [line] = await read_lines(process, 1)
            assert json.loads(line)["body"]["type"] == "message.received"


async def test_headers_filters_and_batches_are_options(scene: Scene, shell: Shell) -> None:
    async with receiving() as receiver, scene.node():
        options = ("--header", "X-Token: s3cret", "--chat-type", "group", "--batch", "5")
        created = await shell.json("webhooks", "create", "--url", receiver.url(), *options)
        [listed] = await shell.json("webhooks", "list")
        assert listed["header_names"] == ["X-Token"]
        assert listed["filter"] == {"chat_account_ids": None, "chat_type": "group"}
        assert listed["batch"] == {"max_events": 5, "max_wait_ms": 0}
        await scene.emit(scene.event(chat_type="individual"), scene.event(chat_type="group"))
        [request] = await receiver.wait_for(1)
        assert (request.type, request.headers["x-token"]) == ("batch", "s3cret")
        assert len(request.json["data"]["events"]) == 1
        for alone in (("--batch-wait", "100"), ("--batch", "0", "--batch-wait", "100")):
            refused = await shell.run("webhooks", "update", created["id"], *alone, code=2)
            assert "--batch-wait needs --batch" in refused
        removed = ("--no-headers", "--no-filter", "--batch", "0")
        changed = await shell.json("webhooks", "update", created["id"], *removed)
        assert (changed["header_names"], changed["batch"]) == ([], None)
        assert "s3cret" not in await shell.run(
            "webhooks", "update", created["id"], "--header", "Host: s3cret", code=1
        )


async def test_listen_signs_batches_where_they_are_taken(scene: Scene, shell: Shell) -> None:
    batch = Batching(max_events=2)
    made = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/", batch=batch)
    arguments = ("--webhook", str(made.webhook.id), "--json")
    async with shell.listening(*arguments) as process:
        await scene.emit(*(scene.event(n=n) for n in range(3)))
        assert process.stdout is not None
        lines = [json.loads(await process.stdout.readline()) for _ in range(2)]
    told = [[event["data"]["n"] for event in line["body"]["data"]["events"]] for line in lines]
    assert told == [[0, 1], [2]]
