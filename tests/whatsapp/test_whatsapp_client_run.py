"""The hand-over from foreign threads, and the rules by which a phone may be asked and stopped."""

import asyncio
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest
from neonize.exc import SendMessageError
from neonize.proto.Neonize_pb2 import Connected

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.errors import NetworkError, NotConnectedError
from heliograph.networks.whatsapp.client_run import Arrived, ClientRun, Item, PairingWord, QrCode
from heliograph.networks.whatsapp.conversion.disconnects import end_of_thread
from heliograph.networks.whatsapp.library_client import DEVICE, Callbacks
from heliograph.networks.whatsapp.threads import ThreadQueue, call_aside, run_aside
from waiting import until

BURST = 10_000


# --- the hand-over ---------------------------------------------------------------------------


async def test_a_closed_hand_over_lets_go_of_those_who_wait() -> None:
    items: ThreadQueue[int] = ThreadQueue(capacity=1)
    answers: list[bool] = []
    run_aside(lambda: answers.extend(items.put(n) for n in range(3)), "test")
    await until(lambda: len(answers) == 1)

    items.close()

    await until(lambda: len(answers) == 3)
    assert answers == [True, False, False]


async def test_a_call_aside_gives_its_result_or_its_error() -> None:
    assert await call_aside(lambda: threading.current_thread().daemon, "test")
    with pytest.raises(ZeroDivisionError):
        await call_aside(lambda: 1 // 0, "test")


async def test_a_call_whose_caller_left_ends_unheard() -> None:
    go, over = threading.Event(), threading.Event()

    def work() -> None:
        go.wait(60)
        over.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await call_aside(work, "test")
    go.set()
    await until(over.is_set)


# --- the phone's rules -----------------------------------------------------------------------


class ScriptedPhone:
    """Does what a test tells it, and fails where the real one would end the process."""

    def __init__(self) -> None:
        self.callbacks: Callbacks | None = None
        self.called: list[str] = []
        self.over = threading.Event()
        self.error = ""
        self.held = threading.Event()
        self.hangs_up = threading.Event()
        self.hangs_up.set()

    def run(self, callbacks: Callbacks) -> str:
        self.callbacks = callbacks
        assert self.over.wait(60)
        return self.error

    def disconnect(self) -> None:
        self.called.append("disconnect")
        assert self.hangs_up.wait(60)

    def stop(self) -> None:
        self.called.append("stop")
        self.over.set()

    def set_passive(self, passive: bool) -> None:
        self.called.append("asked")
        assert self.held.wait(60)
        self.called.append("answered")


async def started() -> tuple[ScriptedPhone, ClientRun, ThreadQueue[Item], Callbacks]:
    phone, items = ScriptedPhone(), ThreadQueue[Item]()
    run = ClientRun(phone, items)  # type: ignore[arg-type]  # what these tests ask of it
    run.start()
    await until(lambda: phone.callbacks is not None)
    assert phone.callbacks is not None
    return phone, run, items, phone.callbacks


async def paired() -> tuple[ScriptedPhone, ClientRun, ThreadQueue[Item], Callbacks]:
    """The same, once the phone has said its first word."""
    phone, run, items, callbacks = await started()
    await aside(callbacks.on_event, DEVICE, made.device())
    return phone, run, items, callbacks


async def aside(call: Callable[..., Any], *arguments: Any) -> None:
    await call_aside(lambda: call(*arguments), "library")


async def test_what_the_phone_says_comes_as_items() -> None:
    phone, run, items, callbacks = await started()
    event = Connected(status=True)

    await aside(callbacks.on_code, "2@x")
    await aside(callbacks.on_pairing, "success")
    await aside(callbacks.on_event, 3, event)
    phone.error = "over"
    phone.over.set()
    await until(lambda: phone.callbacks is not None)
    taken: list[Item] = []
    while len(taken) < 4:
        taken += await items.take(10)

    assert taken == [
        QrCode("2@x"),
        PairingWord("success"),
        Arrived(3, event),
        end_of_thread("over"),
    ]
    run.close()


async def test_nothing_is_asked_before_the_first_word() -> None:
    phone, run, _, callbacks = await started()

    with pytest.raises(NotConnectedError):
        await run.ask(lambda phone: phone.set_passive(False))

    assert phone.called == []
    await aside(callbacks.on_event, DEVICE, made.device())
    run.close()


async def test_a_phone_is_not_stopped_while_it_is_asked() -> None:
    phone, run, _, _ = await paired()
    asking = asyncio.create_task(run.ask(lambda phone: phone.set_passive(False)))
    await until(lambda: phone.called == ["asked"])

    run.close()
    await until(lambda: "disconnect" in phone.called)
    with pytest.raises(NotConnectedError):
        await run.ask(lambda phone: phone.set_passive(False))
    assert "stop" not in phone.called
    phone.held.set()

    await asking
    await until(lambda: "stop" in phone.called)
    assert phone.called == ["asked", "disconnect", "answered", "stop"]


async def test_a_phone_that_was_never_paired_is_hung_up_and_not_stopped() -> None:
    phone, run, _, callbacks = await started()
    await aside(callbacks.on_code, "2@x")

    run.close()
    run.close()

    await until(lambda: phone.called == ["disconnect"])
    await asyncio.sleep(0.05)
    assert phone.called == ["disconnect"]
    phone.over.set()
    await until(lambda: phone.called == ["disconnect", "stop"])  # it has returned: that is safe


async def test_a_phone_closed_before_its_thread_began_never_connects() -> None:
    phone = ScriptedPhone()
    run: ClientRun = ClientRun(phone, ThreadQueue())  # type: ignore[arg-type]  # see above

    run.close()
    run.start()
    await until(lambda: run.is_down)

    assert phone.callbacks is None
    assert phone.called == []


async def test_a_phone_closed_before_its_first_word_is_hung_up_within_it() -> None:
    phone, run, _, callbacks = await started()

    run.close()
    assert phone.called == []
    assert not run.is_down
    await aside(callbacks.on_event, DEVICE, made.device())

    assert phone.called[0] == "disconnect"
    await until(lambda: run.is_down)
    await until(lambda: phone.called == ["disconnect", "stop"])


async def test_a_phone_is_down_when_it_has_hung_up() -> None:
    phone, run, _, _ = await paired()
    phone.hangs_up.clear()

    run.close()
    await until(lambda: phone.called == ["disconnect"])
    assert not run.is_down
    phone.hangs_up.set()

    await until(lambda: run.is_down)


async def test_a_failure_of_the_library_becomes_an_error_of_the_port() -> None:
    _, run, _, _ = await paired()

    def refuse(_: object) -> None:
        raise SendMessageError("server returned error 420")

    def crash(_: object) -> None:
        raise AttributeError("what is this?")

    with pytest.raises(NetworkError, match="420"):
        await run.ask(refuse)
    with pytest.raises(NetworkError, match="AttributeError") as uncertain:
        await run.ask(crash)
    assert not uncertain.value.certain
    run.close()


async def test_only_some_calls_of_an_account_wait_at_the_same_time() -> None:
    phone, run, _, _ = await paired()

    asking = [
        asyncio.create_task(run.ask(lambda phone: phone.set_passive(False))) for _ in range(30)
    ]
    await until(lambda: len(phone.called) == 8)
    await asyncio.sleep(0.02)
    assert len(phone.called) == 8
    phone.held.set()

    await asyncio.gather(*asking)
    assert phone.called.count("answered") == 30
    run.close()


async def test_a_burst_of_messages_takes_no_more_memory_than_the_queue_has_room() -> None:
    _, run, items, callbacks = await paired()

    def burst() -> None:
        for n in range(BURST):
            callbacks.on_event(17, made.message(message_id=f"3A{n:018X}", conversation="x" * 100))

    run_aside(burst, "library")
    await asyncio.sleep(0.3)
    gc.collect()
    alive = [item for item in gc.get_objects() if isinstance(item, Arrived)]
    assert len(alive) <= 510
    del alive
    seen, beats = 0, 0
    while seen < BURST:
        seen += sum(isinstance(item, Arrived) and item.code == 17 for item in await items.take(100))
        await asyncio.sleep(0)
        beats += 1
    assert beats >= BURST // 100
    run.close()
