"""A session that its network, its lease or its database leaves in the lurch is opened again."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient
from msgspec.structs import replace
from starlette.applications import Starlette
from structlog.testing import capture_logs

from core_scene import (
    ADA,
    SECRET_BOX,
    Scene,
    ScriptedSession,
    arrival,
    message_id_of,
    playing,
)
from heliograph.core.accounts.sql import ask_to_reopen
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch import account_session
from heliograph.core.dispatch.account_session import (
    AccountSession,
    SessionContext,
    write_health_checks_to,
)
from heliograph.core.dispatch.worker import SessionWorker
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.errors import NotSupportedByNetworkError
from heliograph.faces.api.media import media_routes
from heliograph.networks.content import (
    Button,
    ButtonReply,
    Buttons,
    Document,
    Text,
    decode_content,
)
from heliograph.networks.errors import LeaseLostError, NetworkError
from heliograph.networks.port import Account as SeenAccount
from heliograph.networks.port import (
    AccountStatus,
    Capabilities,
    ContactSeen,
    Events,
    Network,
    Outgoing,
    Sent,
    SessionState,
)
from heliograph.networks.registry import DriverLoadError, UnknownNetworkError
from heliograph.networks.sandbox.driver import SandboxNetwork
from media_scene import media_of


class ScriptedNetwork(SandboxNetwork):
    """Connects at once, or as `connecting` says."""

    def __init__(self) -> None:
        super().__init__()
        self.connections: list[Events] = []
        self.connecting: list[Callable[[], object]] = []
        self.session = ScriptedSession()

    async def connect(self, account: SeenAccount, events: Events) -> ScriptedSession:
        self.connections.append(events)
        if self.connecting:
            await self.connecting.pop(0)()  # type: ignore[misc]  # a coroutine function
        await events.publish([SessionState(AccountStatus.CONNECTED)])
        return self.session


@dataclass
class Keeper:
    """Says whether the lease may be believed in; the table says whether it is held."""

    valid: bool = True

    def is_valid(self, lease: Lease) -> bool:
        return self.valid


@dataclass
class Registry:
    network: Network
    failures: list[Exception] = field(default_factory=list)
    """What is raised first, each once."""

    def get_network(self, name: str) -> Network:
        if self.failures:
            raise self.failures.pop(0)
        return self.network


@dataclass
class Office:
    scene: Scene
    network: ScriptedNetwork
    keeper: Keeper
    session: AccountSession
    tools: SessionContext
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    def open(self) -> "asyncio.Task[None]":
        task = asyncio.create_task(self.session.run())
        self.tasks.append(task)
        return task

    async def opened(self) -> None:
        self.open()
        await self.connected()

    def check_health_every(self, seconds: float) -> None:
        """Before it is opened."""
        tools = dataclasses.replace(self.tools, health_check_interval=seconds)
        self.session = AccountSession(tools, self.scene.lease)

    async def connected(self, times: int = 1) -> None:
        await self.scene.until(
            lambda: (
                len(self.network.connections) >= times
                and self.session.status is AccountStatus.CONNECTED
            )
        )

    async def reasons(self) -> list[str]:
        """With which the account was said to be disconnected."""
        return [data["reason"] for data in await self.scene.told("device.disconnected")]


@pytest.fixture
async def office(
    database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Office]:
    monkeypatch.setattr(account_session, "_REOPEN_FIRST", 0.05)
    async with playing(database_url) as scene:
        network, keeper = ScriptedNetwork(), Keeper()
        tools = SessionContext(
            database=scene.database,
            notifications=scene.notifications,
            networks=Registry(network),  # type: ignore[arg-type]  # one network will do
            reports=scene.reports,
            media=media_of(scene.database, tmp_path.as_uri()),
            secret_box=SECRET_BOX,
            keeper=keeper,  # type: ignore[arg-type]  # see there
            health=write_health_checks_to(scene.database),
        )
        office = Office(scene, network, keeper, AccountSession(tools, scene.lease), tools)
        yield office
        for task in office.tasks:
            task.cancel()
        await asyncio.gather(*office.tasks, return_exceptions=True)


async def test_after_a_doubt_about_the_lease_that_was_unfounded(office: Office) -> None:
    """The driver was told to stop: nobody else would begin again."""
    await office.opened()
    office.keeper.valid = False
    with pytest.raises(LeaseLostError):
        await office.network.connections[0].publish([arrival("a")])
    await asyncio.sleep(0.2)
    assert len(office.network.connections) == 1, "not while the lease is in doubt"
    office.keeper.valid = True
    await office.connected(2)
    await office.network.connections[1].publish([arrival("a")])
    assert await office.scene.count("messages") == 1


async def test_news_that_a_driver_made_wrong_hold_up_nothing(office: Office) -> None:
    await office.opened()
    no_text: Any = b"a\xff"
    wrong = arrival("a", sender_name=no_text), ContactSeen(ADA, chat_name=no_text)
    await office.network.connections[0].publish([*wrong, arrival("b")])
    rows = await office.scene.rows("SELECT message_type FROM messages ORDER BY seq")
    assert [row["message_type"] for row in rows] == ["system", "text"]


async def test_on_a_network_without_buttons_choices_are_numbered_and_their_answers_known(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SandboxNetwork, "capabilities", Capabilities(content=frozenset({"text"})))
    question = Buttons(
        "Shall we?", (Button("yes", "Yes, please"), Button("no", "No")), footer="Lume"
    )
    await office.opened()
    scene = office.scene
    request = SendMessage(SendTo(ADA), question, "run", as_text=True)
    answer = await scene.messages.send(scene.principal, request, None)
    office.session.wake()
    await scene.until(lambda: bool(office.network.session.taken))
    [sent] = office.network.session.log
    assert sent.content == Text(
        "Shall we?\n\n1. Yes, please\n2. No\n\nReply with a number, 1 or 2.\n\nLume"
    )
    asked = await scene.message(message_id_of(answer))
    assert asked.content == question

    events = office.network.connections[0]
    await events.publish([arrival("a", text="“2”."), arrival("b", text="Why?")])
    rows = await scene.rows("SELECT * FROM messages WHERE direction = 'inbound' ORDER BY seq")
    assert [row["message_type"] for row in rows] == ["button_reply", "text"]
    assert decode_content(rows[0]["content"]) == ButtonReply("no", "No")
    assert rows[0]["reply_to_message_id"] == asked.id


async def test_what_a_network_has_no_text_for_is_refused(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SandboxNetwork, "capabilities", Capabilities(content=frozenset()))
    question = SendMessage(SendTo(ADA), Buttons("Well?", (Button("yes", "Yes"),)), "run")
    with pytest.raises(NotSupportedByNetworkError):
        await office.scene.messages.send(office.scene.principal, question, None)


class Lingering(ScriptedSession):
    """Takes its time to give up a send."""

    async def send(self, message: Outgoing) -> Sent:
        self.log.append(message)
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.3)
        raise AssertionError


async def test_a_session_that_is_ended_while_it_begins_anew_ends(office: Office) -> None:
    """The lease is lost in the moment in which the driver has been told so."""
    office.network.session = Lingering()
    task = office.open()
    await office.connected()
    await office.scene.accept("Hello")
    office.session.wake()
    await office.scene.until(lambda: bool(office.network.session.log))
    office.session.account_changed()
    await asyncio.sleep(0.1)
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=60)
    assert done


async def test_after_a_report_of_failure_that_could_not_be_made(office: Office) -> None:
    async def refuse() -> None:
        await office.scene.rows("ALTER TABLE events RENAME TO elsewhere")
        raise NetworkError("Nobody is there.")

    office.network.connecting = [refuse]
    task = office.open()
    await office.scene.until(lambda: bool(office.network.connections))
    await asyncio.sleep(0.3)
    await office.scene.rows("ALTER TABLE elsewhere RENAME TO events")
    await office.connected(2)
    assert not task.done()


async def test_after_a_connection_that_is_never_made(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_session, "CONNECT_TIMEOUT", 0.5)
    office.network.connecting = [asyncio.Event().wait]
    office.open()
    await office.connected(2)


@pytest.mark.parametrize("error", [DriverLoadError, UnknownNetworkError])
async def test_one_whose_driver_can_not_be_loaded_is_disconnected_and_says_why(
    office: Office, error: type[Exception]
) -> None:
    registry = office.tools.networks
    assert isinstance(registry, Registry)
    registry.failures = [error("The driver lacks a name.")] * 3
    await office.scene.rows("UPDATE accounts SET status = 'connected'")
    with capture_logs() as lines:
        office.open()
        await office.connected()

    assert await office.reasons() == ["The driver lacks a name."]
    [line] = [line for line in lines if line["log_level"] == "error"]
    assert line["reason"] == "The driver lacks a name."
    assert "exc_info" not in line


async def test_one_whose_driver_fails_to_connect_is_disconnected_and_says_why(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stumble() -> None:
        raise KeyError("wing")

    async def give_nothing(*_: object) -> None:
        monkeypatch.undo()

    office.network.connecting = [stumble]
    await office.scene.rows("UPDATE accounts SET status = 'connected'")
    with capture_logs() as lines:
        office.open()
        await office.connected(2)
        monkeypatch.setattr(office.network, "connect", give_nothing)
        office.session.account_changed()
        await office.connected(3)

    assert await office.reasons() == [
        "The driver of the network 'sandbox' failed to connect (KeyError).",
        "The driver of the network 'sandbox' returned no session.",
    ]
    [line] = [line for line in lines if line["log_level"] == "error"]
    assert line["network"] == "sandbox"


async def test_after_a_silence_of_its_driver(office: Office) -> None:
    office.check_health_every(0.05)
    await office.opened()
    gone = SessionState(AccountStatus.DISCONNECTED, reason="Another session took over.")
    await office.network.connections[0].publish([gone])
    await office.connected(2)


async def test_a_connected_account_that_answers_is_noted_with_all_others_at_once(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.check_health_every(0.05)
    began = office.scene.database.clock.now()
    recorded: list[Lease] = []
    record = office.tools.health.record

    def note(lease: Lease, at: datetime) -> None:
        record(lease, at)
        recorded.append(lease)

    monkeypatch.setattr(office.tools.health, "record", note)
    office.open()
    await office.scene.until(lambda: len(recorded) > 1)
    [row] = await office.scene.rows("SELECT last_health_check_at AS at FROM accounts")
    assert row["at"] is None, "not one by one"
    await office.tools.health.flush()
    [row] = await office.scene.rows("SELECT last_health_check_at AS at FROM accounts")
    assert row["at"] >= began


async def test_a_change_of_which_nobody_told_it_is_found(office: Office) -> None:
    scene, lease = office.scene, office.scene.lease
    worker, connections = SessionWorker(office.tools), office.network.connections
    asked = partial(ask_to_reopen, tenant=lease.tenant, account_id=lease.resource_id)
    await scene.database.transact(asked, at=scene.database.clock.now())
    async with scene.database.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT FROM account_leases FOR UPDATE")
        worker.gained(lease)
        await asyncio.sleep(0)
        await worker.look_for_changes()  # while the session waits to read its account
    await scene.until(lambda: worker.statuses() == [AccountStatus.CONNECTED])
    await worker.look_for_changes()
    await asyncio.sleep(0.2)
    assert len(connections) == 1, "nothing was changed since"
    await scene.database.transact(asked, at=scene.database.clock.now())
    for _ in range(2):  # once is enough
        await worker.look_for_changes()
        await scene.until(
            lambda: len(connections) == 2 and worker.statuses() == [AccountStatus.CONNECTED]
        )
    await asyncio.sleep(0.2)
    assert len(connections) == 2
    worker.lost(lease)
    await worker.drained()


async def test_so_is_that_a_session_is_wanted_again(office: Office) -> None:
    scene, lease = office.scene, office.scene.lease
    await scene.rows("UPDATE accounts SET status = 'logged_out'")
    worker = SessionWorker(office.tools)
    worker.gained(lease)
    await scene.until(lambda: worker.statuses() == [AccountStatus.LOGGED_OUT])
    await scene.rows("UPDATE accounts SET status = 'pairing', reopen_asked_at = now()")
    await worker.look_for_changes()
    await scene.until(lambda: worker.statuses() == [AccountStatus.CONNECTED])
    worker.lost(lease)
    await worker.drained()


class Deaf(ScriptedSession):
    """Says that it is connected, and does not answer the first ping."""

    pings = 0

    async def ping(self) -> None:
        self.pings += 1
        if self.pings == 1:
            await asyncio.Event().wait()


class Stumbling(ScriptedSession):
    """Says that it is connected, and raises what no driver may at the first ping."""

    pings = 0

    async def ping(self) -> None:
        self.pings += 1
        if self.pings == 1:
            raise KeyError("wing")


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (Deaf, "no answer to a ping within"),
        (Stumbling, "The driver of the network 'sandbox' failed to ping (KeyError)."),
    ],
)
async def test_one_that_claims_to_be_connected_and_is_not_is_connected_anew(
    office: Office,
    monkeypatch: pytest.MonkeyPatch,
    session: type[ScriptedSession],
    reason: str,
) -> None:
    office.check_health_every(0.05)
    monkeypatch.setattr(account_session, "PING_TIMEOUT", 0.1)
    office.network.session = session()
    await office.opened()
    await office.connected(2)
    [told] = await office.reasons()
    assert told.startswith(reason)


async def test_a_logged_out_account_is_left_alone(office: Office) -> None:
    office.check_health_every(0.02)
    await office.opened()
    await office.network.connections[0].publish([SessionState(AccountStatus.LOGGED_OUT)])
    await asyncio.sleep(0.3)
    assert len(office.network.connections) == 1


async def test_what_was_being_sent_waits_even_when_no_session_is_wanted(office: Office) -> None:
    await office.scene.begin("Hello")
    await office.scene.rows("UPDATE accounts SET status = 'logged_out'")
    office.open()
    await office.scene.until_statuses({"Hello": "queued"})


async def test_where_no_session_is_wanted_that_is_known_too(office: Office) -> None:
    """Metrics count it."""
    await office.scene.rows("UPDATE accounts SET status = 'logged_out'")
    office.open()
    await office.scene.until(lambda: office.session.status is AccountStatus.LOGGED_OUT)


async def test_the_session_before_has_no_say_any_more(office: Office) -> None:
    await office.opened()
    office.session.account_changed()
    await office.connected(2)
    with pytest.raises(LeaseLostError):
        await office.network.connections[0].publish([SessionState(AccountStatus.DISCONNECTED)])
    assert office.session.status is AccountStatus.CONNECTED


async def test_an_account_that_comes_back_waits_for_its_session_before(office: Office) -> None:
    """Two connections of one account would end each other."""
    order: list[str] = []

    class Slow(ScriptedSession):
        async def close(self) -> None:
            await asyncio.sleep(0.3)
            order.append("closed")

    async def note() -> None:
        order.append("connecting")

    office.network.session = Slow()
    office.network.connecting = [note, note]
    worker = SessionWorker(office.tools)
    worker.gained(office.scene.lease)
    await office.scene.until(lambda: worker.statuses() == [AccountStatus.CONNECTED])
    worker.lost(office.scene.lease)
    worker.gained(office.scene.lease)
    await office.scene.until(lambda: worker.statuses() == [AccountStatus.CONNECTED])
    assert order == ["connecting", "closed", "connecting"]
    worker.lost(office.scene.lease)
    await worker.drained()


# --- files that people send ---

MENU = replace(arrival("F1"), content=Document("text/html", "Today", "menu.html"), file=b"<script>")


async def test_a_file_is_kept_and_its_message_has_a_link(office: Office) -> None:
    await office.opened()
    await office.network.connections[0].publish([MENU])

    [row] = await office.scene.rows("SELECT media_type, media_url, content FROM messages")
    assert row["media_type"] == "text/html"
    assert row["media_url"].startswith("http://test/media/files/")
    app = Starlette(routes=media_routes(office.tools.media))
    async with AsyncClient(transport=ASGITransport(app)) as client:
        answer = await client.get(row["media_url"])
        assert answer.content == b"<script>"
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"] == 'attachment; filename="menu.html"'
        assert (await client.get(row["media_url"] + "0")).status_code == 404


async def test_a_storage_that_is_away_costs_the_file_and_not_the_message(
    office: Office, tmp_path: Path
) -> None:
    await office.opened()
    (tmp_path / "files").write_text("no folder")

    await office.network.connections[0].publish([MENU])

    [row] = await office.scene.rows("SELECT media_type, media_url FROM messages")
    assert tuple(row) == ("text/html", None)


async def test_where_contents_are_not_kept_files_are_not_either(
    office: Office, tmp_path: Path
) -> None:
    await office.scene.rows("UPDATE accounts SET message_logging_enabled = false")
    await office.opened()

    await office.network.connections[0].publish([MENU])

    assert not (tmp_path / "files").exists()


async def test_files_go_with_the_messages_of_their_day(office: Office, today: date) -> None:
    media, tenant = office.tools.media, office.scene.principal.tenant
    for data in (b"one", b"two"):
        await media.store_file(tenant, data)

    assert await media.delete_files(tenant, today) == 0
    assert await media.delete_files(tenant, today + timedelta(days=1)) == 2
    assert await media.delete_files(tenant, today + timedelta(days=1)) == 0
