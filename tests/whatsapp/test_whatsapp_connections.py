"""The end of a connection: its phone hangs up first, and what is left is reported in order."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.Neonize_pb2 import TemporaryBan
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ImageMessage
from structlog.testing import capture_logs

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import Text
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import AccountStatus, Inbound, NetworkEvent
from heliograph.networks.testing import Connected, Recorder
from heliograph.networks.whatsapp import connection, event_converter, sql
from heliograph.networks.whatsapp.unprocessed_events import UnprocessedEvents
from waiting import until
from whatsapp_events import ADA
from whatsapp_post import Post
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)


class Watching(Recorder):
    """Also notes each call, and lets a test wait for one that lost the lease."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Sequence[NetworkEvent]] = []
        self.lost = asyncio.Event()

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        self.calls.append(events)
        if isinstance(self.refusing, LeaseLostError):
            self.lost.set()
        await super().publish(events)


def text_event(text: str) -> tuple[int, bytes, None]:
    """A message as it is kept when it could not be handed on."""
    event = made.message(message_id=f"3A{text}", conversation=text)
    return 17, event.SerializeToString(), None


async def texts(at: Connected, last: str) -> list[str]:
    await at.events.next(Inbound, content=Text(last))
    return [inbound.content.summary for inbound in at.events.all(Inbound)]


# --- letting go ------------------------------------------------------------------------------


async def dialing(whatsapp: WhatsApp, one: Connected) -> tuple[Connected, threading.Event]:
    """A session whose phone dials until the event is set."""
    await one.session.close()
    dials = whatsapp.world.dials = threading.Event()
    later = await whatsapp.begin(one.account)
    await until(lambda: whatsapp.world.phones[-1].is_dialing)
    return later, dials


async def test_a_session_is_closed_when_its_dialing_phone_has_hung_up(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HANG_UP_TIMEOUT", 60.0)
    later, dials = await dialing(whatsapp, one)
    closing = asyncio.create_task(later.session.close())
    done, _ = await asyncio.wait([closing], timeout=0.5)
    assert not done  # while it dials, it would connect after all
    dials.set()
    await closing

    assert whatsapp.world.online == {}


async def test_a_phone_that_dials_for_too_long_is_hung_up_when_it_connects(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HANG_UP_TIMEOUT", 0.05)
    later, dials = await dialing(whatsapp, one)
    await later.session.close()
    dials.set()

    await until(lambda: whatsapp.world.phones[-1].is_stopped)
    assert whatsapp.world.online == {}


async def test_a_lease_lost_while_the_database_is_asked_keeps_the_phone_from_starting(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    await one.session.close()
    phones, events = len(whatsapp.world.phones), Watching()
    has_device = sql.has_device

    async def meanwhile(*asked: Any) -> bool:
        events.refusing = LeaseLostError()
        return await has_device(*asked)

    async def nothing_to_attend_to(_: UnprocessedEvents) -> None: ...

    monkeypatch.setattr(sql, "has_device", meanwhile)
    monkeypatch.setattr(UnprocessedEvents, "attend", nothing_to_attend_to)
    session = await whatsapp.network.connect(one.account, events)
    async with asyncio.timeout(60):
        await events.lost.wait()
    await session.close()

    assert len(whatsapp.world.phones) == phones


async def test_a_phone_that_talks_on_and_on_does_not_hold_up_the_end(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MAX_LEFT", 500)
    monkeypatch.setattr(connection, "HANG_UP_TIMEOUT", 0.5)
    callbacks, is_over = whatsapp.world.phones[-1].callbacks, threading.Event()
    assert callbacks is not None

    def talk() -> None:
        while not is_over.is_set():
            callbacks.on_event(17, made.message(conversation="and another thing"))

    talking = threading.Thread(target=talk, daemon=True)
    one.events.refusing = RuntimeError("the database is full")
    talking.start()
    await one.events.refusal()

    async with asyncio.timeout(60):
        await one.session.close()

    is_over.set()
    kept = await whatsapp.database.pool.fetchval("SELECT count(*) FROM whatsapp.unheard")
    assert 0 < kept <= 500


# --- sends that take longer than their session ---


@pytest.fixture
def post(whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch) -> Iterator[Post]:
    post = Post.of(whatsapp.world.phones[-1], monkeypatch)
    yield post
    post.go.set()


async def test_the_next_session_joins_a_send_that_took_too_long(
    whatsapp: WhatsApp, one: Connected, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SEND_TIMEOUT", 0.05)
    message = one.outgoing(ADA, Text("once"))
    sending = asyncio.create_task(one.session.send(message))
    await until(lambda: bool(post.taken))
    sending.cancel()
    await one.session.close()
    later = await whatsapp.begin(one.account)
    await later.events.status(AccountStatus.CONNECTED)

    again = asyncio.create_task(later.session.send(message))
    whatsapp.world.send(whatsapp.device(one), made.receipt(ReceiptEvent.READ, *post.taken), 18)
    post.go.set()
    await again

    assert await whatsapp.shown(one, ADA) == [Text("once")]
    await later.events.receipt(message.chat_message_id, "read")


async def test_a_send_does_not_keep_a_session_that_has_lost_its_lease(
    whatsapp: WhatsApp, one: Connected, post: Post
) -> None:
    sending = asyncio.create_task(one.session.send(one.outgoing(ADA, Text("once"))))
    await until(lambda: bool(post.taken))
    one.events.refusing = LeaseLostError()

    await one.session.close()

    assert whatsapp.world.online == {}
    assert not sending.done()
    sending.cancel()


# --- what a connection leaves ----------------------------------------------------------------


async def test_what_came_behind_the_end_is_told_however_long_the_pause_is(
    whatsapp: WhatsApp, one: Connected
) -> None:
    device = whatsapp.device(one)
    with whatsapp.world.lock:
        whatsapp.world.send(device, TemporaryBan(Code=TemporaryBan.BLOCKED_BY_USERS, Expire=600), 8)
        whatsapp.world.say(device, ADA, "one more thing")
    await one.events.status(AccountStatus.DISCONNECTED)

    assert await texts(one, "one more thing") == ["one more thing"]


async def test_what_was_left_is_told_before_what_comes(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    await one.session.close()
    pool, account_id = whatsapp.database.pool, one.account.id
    await sql.insert_unprocessed(pool, account_id, [text_event("a"), text_event("b")])
    whatsapp.world.say(whatsapp.device(one), ADA, "c")
    read = sql.list_unprocessed

    async def slowly(*asked: Any) -> Any:
        await asyncio.sleep(0.3)  # in which a connection would be there
        return await read(*asked)

    monkeypatch.setattr(sql, "list_unprocessed", slowly)
    later = await whatsapp.connected(one.account)

    assert await texts(later, "c") == ["a", "b", "c"]


async def test_a_leftover_that_makes_no_sense_is_named_and_let_go(
    whatsapp: WhatsApp, one: Connected
) -> None:
    await one.session.close()
    pool, account_id = whatsapp.database.pool, one.account.id
    broken = [(17, b"\xff\xff", None), (250, b"", None)]
    await sql.insert_unprocessed(pool, account_id, [text_event("a"), *broken, text_event("b")])

    with capture_logs() as logs:
        later = await whatsapp.connected(one.account)
        assert await texts(later, "b") == ["a", "b"]

    told = [log for log in logs if log["event"] == "whatsapp_leftover_not_understood"]
    assert [(entry["code"], entry["account_id"]) for entry in told] == [
        (17, str(account_id)),
        (250, str(account_id)),
    ]
    assert await sql.list_unprocessed(pool, account_id, whatsapp.database.clock.now()) == []


async def test_files_of_what_was_left_are_fetched_one_by_one(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    await one.session.close()
    monkeypatch.setattr(event_converter, "fetch_file", lambda *_: b"pixels")
    events = []
    for n in range(5):
        picture = ImageMessage(mimetype="image/png", directPath=f"/{n}", mediaKey=b"k" * 32)
        event = made.message(message_id=f"3A{n}", imageMessage=picture)
        events += [(17, event.SerializeToString(), None), text_event(str(n))]
    await sql.insert_unprocessed(whatsapp.database.pool, one.account.id, events)
    watching = Watching()

    session = await whatsapp.network.connect(one.account, watching)
    await watching.next(Inbound, content=Text("4"))
    await session.close()

    files = [sum(isinstance(e, Inbound) and e.file is not None for e in c) for c in watching.calls]
    assert (sum(files), max(files)) == (5, 1)


# --- an account that is removed ----------------------------------------------------------------


async def test_nothing_is_left_of_an_account_that_is_forgotten(
    whatsapp: WhatsApp, one: Connected
) -> None:
    other = await whatsapp.connected()
    for at in (one, other):
        await at.send(ADA, "hello")
        await at.session.close()
        await sql.insert_unprocessed(whatsapp.database.pool, at.account.id, [text_event("late")])

    await whatsapp.network.forget(one.account.id)
    await whatsapp.network.forget(one.account.id)

    assert await rows_of(whatsapp, one) == [0, 0, 0, 0]
    assert all(await rows_of(whatsapp, other))


async def test_keys_that_are_another_accounts_by_now_stay(
    whatsapp: WhatsApp, one: Connected
) -> None:
    again = await whatsapp.connected(replace(one.account, id=uuid4()))

    await whatsapp.network.forget(one.account.id)

    assert await sql.has_device(whatsapp.database.pool, whatsapp.device(again))


async def rows_of(whatsapp: WhatsApp, at: Connected) -> list[int]:
    """Rows of the account: sent, unheard, devices, keys."""
    pool, account_id = whatsapp.database.pool, at.account.id
    asked = "SELECT count(*) FROM whatsapp."
    return [
        await pool.fetchval(asked + "sent WHERE account_id = $1", account_id),
        await pool.fetchval(asked + "unheard WHERE account_id = $1", account_id),
        await pool.fetchval(asked + "devices WHERE account_id = $1", account_id),
        await pool.fetchval(asked + "whatsmeow_device WHERE jid = $1", whatsapp.device(at)),
    ]
