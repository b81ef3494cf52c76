"""A request and its repeats at the same time get one answer, also where each would be refused for
what the first has done: the name is taken by now, or the last place of the plan."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from api_description import api_description
from api_scene import Scene, buttons, id_of, open_scene
from core_scene import register
from heliograph.core import topics
from heliograph.core.idempotency.service import IdempotencyService
from heliograph.core.organizations.sql import put_plan
from heliograph.core.tenants.plans import Plan
from heliograph.core.webhooks.deliveries import replays
from heliograph.networks.sandbox.addresses import invite_link, new_invite_code
from inbox_rows import insert_conversation

PLAN = Plan(
    "acme",
    key_requests_per_minute=100_000,
    accounts=2,
    api_keys=2,
    webhooks=1,
    messages_per_day=1,
    media_bytes=5,
)
URL = "https://backend.example/hook"
GROUP, PERSON = "1@g.sandbox", "+5511999990000"
RESULT = """{"remote_jid": "1@g.sandbox", "subject": "Trip", "owner_jid": null, "created_at": null,
"conversation_id": "019b0000-0000-7000-8000-000000000001", "participants": [], "refused": {},
"numbers": []}"""
"""What the network answers, whatever it was asked."""
END_JOBS = """
UPDATE jobs SET status = 'completed', result = $1, finished_at = now() WHERE status = 'pending'
RETURNING id
"""

Names = tuple[object, ...]
"""What goes into the path."""
Prepare = Callable[[Scene], Awaitable[Names]]


@dataclass(frozen=True)
class Case:
    """An operation, and how everybody is refused once it is done: by itself, or because of what
    `then` does."""

    operation: str
    refusal: int | str
    json: Any = None
    prepare: Prepare | None = None
    then: str = ""
    more: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.operation} {self.refusal}"


async def webhook(scene: Scene) -> Names:
    return ((await scene.services.webhooks.create(scene.acme.principal, URL)).webhook.id,)


async def rotated_webhook(scene: Scene) -> Names:
    [webhook_id] = await webhook(scene)
    for _ in range(3):
        await scene.services.webhooks.rotate_secret(scene.acme.principal, id_of(webhook_id))
    return (webhook_id,)


async def delivery(scene: Scene) -> Names:
    [webhook_id] = await webhook(scene)
    return (await scene.services.webhooks.ping(scene.acme.principal, id_of(webhook_id)),)


async def rotated_key(scene: Scene) -> Names:
    minted = await scene.services.keys.mint(scene.acme.principal, "test")
    for _ in range(3):
        await scene.services.keys.rotate(scene.acme.principal, minted.record.key_id)
    return (minted.record.id,)


async def device(scene: Scene) -> Names:
    return (scene.acme.account.id,)


async def connected(scene: Scene) -> Names:
    await scene.set_connected(scene.acme.account)
    return await device(scene)


async def group(scene: Scene) -> Names:
    await connected(scene)
    return (await insert_conversation(scene, GROUP, is_group=True),)


async def conversation(scene: Scene) -> Names:
    return (await insert_conversation(scene, "2@sandbox", unread=1),)


async def message(scene: Scene) -> Names:
    sent = await scene.as_acme("POST", "/api/v1/messages/send/interactive/buttons", json=buttons())
    return (sent.json()["message_id"],)


async def room_for_devices(scene: Scene) -> Names:
    plan = replace(PLAN, accounts=None)
    await scene.database.transact(put_plan, plan, scene.database.clock.now())
    return ()


LOGGED_OUT = "UPDATE accounts SET status = 'logged_out'"
NOT_CONNECTED = "chat_account_not_connected"
"""How each job is refused, once the network has done one: with that the account is logged out."""
FULL = "plan_limit_reached"
DISABLE = "UPDATE webhooks SET enabled = false"
DEVICE = {"network": "sandbox", "name": "Desk"}
LABEL = {"name": "M", "color": "#336699"}
SPAN = {"since": "2026-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}
SENDS = (
    Case("sendMessage", FULL, {"phone_number": PERSON, "content": {"type": "text", "body": "Hi"}}),
    Case("sendButtonMessage", FULL, buttons()),
)
CASES = (
    Case("createLabel", 422, LABEL),
    Case("createDevice", FULL, DEVICE),
    Case("createDevice", 422, DEVICE | {"session_name": "desk"}, room_for_devices),
    Case("createApiKey", FULL, {"name": "test"}),
    Case("rotateApiKey", "too_many_secrets", {}, rotated_key),
    Case("createWebhookSubscription", FULL, {"url": URL, "events": ["*"]}),
    Case("rotateWebhookSecret", "too_many_secrets", {}, rotated_webhook),
    Case("pingWebhookSubscription", "webhook_disabled", None, webhook, DISABLE),
    Case("replayWebhookEvents", 422, SPAN, webhook),
    Case("redeliverWebhookEvent", "webhook_disabled", None, delivery, DISABLE),
    Case(
        "uploadMedia", FULL, more={"content": b"Hello", "headers": {"Content-Type": "text/plain"}}
    ),
    Case("cancelMessage", "already_sent", None, message, "UPDATE messages SET status = 'sent'"),
    Case(
        "createConversationNote",
        "conversation_not_found",
        {"body": "Call back"},
        conversation,
        "DELETE FROM conversation_notes; DELETE FROM conversations",
    ),
    Case(
        "markConversationRead",
        "conversation_not_found",
        None,
        conversation,
        "DELETE FROM conversations",
    ),
    Case(
        "pairDevice",
        "chat_account_connected",
        {"method": "qr"},
        device,
        "UPDATE accounts SET status = 'connected', remote_jid = '1@sandbox'",
    ),
    Case("reconnectDevice", "chat_account_not_found", None, device, "DELETE FROM accounts"),
    Case("logOutDevice", NOT_CONNECTED, None, connected),
    Case("checkContacts", NOT_CONNECTED, {"phone_numbers": [PERSON]}, connected),
    Case("syncContacts", NOT_CONNECTED, {"chat_account_id": ""}, connected, LOGGED_OUT),
    Case("showTyping", NOT_CONNECTED, {"is_typing": True}, group),
    Case(
        "createConversationGroup",
        NOT_CONNECTED,
        {"chat_account_id": "", "subject": "Trip", "participants": [PERSON]},
        connected,
    ),
    Case(
        "joinGroup",
        NOT_CONNECTED,
        {"session_name": "acme", "invite_link": invite_link(new_invite_code())},
        connected,
    ),
    Case("addGroupParticipants", NOT_CONNECTED, {"participants": [PERSON]}, group),
    Case("leaveGroup", NOT_CONNECTED, None, group),
)


@cache
def list_keyed_operations() -> dict[str, tuple[str, Any]]:
    """The operations that take an idempotency key, with their paths and their responses."""
    return {
        operation["operationId"]: (path, operation["responses"])
        for path, operations in api_description()["paths"].items()
        for operation in operations.values()
        if any(each["name"] == "Idempotency-Key" for each in operation.get("parameters", ()))
    }


@dataclass
class Asking:
    """The request of a case, ready to be sent under any key."""

    scene: Scene
    path: str
    request: dict[str, Any]

    async def once(self, key: str) -> httpx.Response:
        headers = self.request.get("headers", {}) | {"Idempotency-Key": key}
        return await self.scene.as_acme("POST", self.path, **self.request | {"headers": headers})

    async def until_answered(self, key: str = "k") -> httpx.Response:
        """Ask as a client does: again, while the first request is under way."""
        async with asyncio.timeout(60):
            while True:
                answer = await self.once(key)
                if answer.status_code != 409 or answer.json()["code"] != "idempotency_conflict":
                    return answer
                assert answer.headers["Retry-After"] == "1"
                await asyncio.sleep(0.02)


async def prepare(scene: Scene, case: Case) -> Asking:
    names = await case.prepare(scene) if case.prepare is not None else ()
    path, _ = list_keyed_operations()[case.operation]
    path = re.sub(r"\{\w+\}", "".join(map(str, names)), path)
    body = case.json
    if body and "chat_account_id" in body:
        body = body | {"chat_account_id": str(scene.acme.account.id)}
    return Asking(scene, path, dict(case.more) | ({} if body is None else {"json": body}))


@asynccontextmanager
async def network(scene: Scene) -> AsyncIterator[None]:
    """Do each job at once, and log the account out with it."""

    async def work() -> None:
        while True:
            ended: Sequence[Any] = await scene.database.pool.fetch(END_JOBS, RESULT)
            if ended:
                await scene.database.pool.execute(LOGGED_OUT)
            scene.notifications.notify(*[topics.job_ended(row["id"]) for row in ended])
            await asyncio.sleep(0.02)

    working = asyncio.create_task(work())
    try:
        yield
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


@dataclass
class Pause:
    """Holds a request that has found its key free."""

    found: asyncio.Event = field(default_factory=asyncio.Event)
    end: asyncio.Event = field(default_factory=asyncio.Event)


_pause: ContextVar[Pause | None] = ContextVar("pause", default=None)


@pytest.fixture
def pausing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request wait at its `_pause`, if it has one, when it has looked its key up."""
    for name in ("look_up", "is_taken"):
        ask = getattr(IdempotencyService, name)

        async def paused(*given: Any, ask: Callable[..., Awaitable[Any]] = ask) -> Any:
            found, pause = await ask(*given), _pause.get()
            if pause is not None:
                pause.found.set()
                await pause.end.wait()
            return found

        monkeypatch.setattr(IdempotencyService, name, paused)


@pytest.fixture
async def scene(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Scene]:
    monkeypatch.setattr(replays, "MAX_WAITING", 1)
    async with open_scene(database_url, tmp_path, plan=PLAN, network_timeout=30) as scene:
        await register(scene.database, scene.services.identity(), lease_timeout=600)
        yield scene


def test_each_keyed_operation_has_its_case() -> None:
    assert {case.operation for case in (*CASES, *SENDS)} == set(list_keyed_operations())


def test_each_keyed_operation_says_that_the_first_request_may_be_under_way() -> None:
    for operation, (_, responses) in list_keyed_operations().items():
        assert "idempotency_conflict" in str(responses["409"]), operation


@pytest.mark.parametrize("case", [*CASES, *SENDS], ids=str)
async def test_requests_at_once_get_one_answer(scene: Scene, case: Case) -> None:
    asking = await prepare(scene, case)
    async with network(scene):
        answers = await asyncio.gather(*[asking.until_answered() for _ in range(4)])
        check_one(answers)
        await check_no_secret_is_kept(scene, answers[0])
        await check_refused(asking, case)


@pytest.mark.usefixtures("pausing")
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_who_found_the_key_free_is_told_what_the_first_was(scene: Scene, case: Case) -> None:
    """The repeat comes to its checks only when the first request has been answered."""
    asking, pause = await prepare(scene, case), Pause()

    async def repeat() -> httpx.Response:
        _pause.set(pause)
        return await asking.until_answered()

    async with network(scene):
        late = asyncio.create_task(repeat())
        await pause.found.wait()
        first = await asking.until_answered()
        await check_refused(asking, case)
        pause.end.set()
        check_one([first, await late])


def check_one(answers: Sequence[httpx.Response]) -> None:
    """All have one answer, which all but one of them are told again."""
    assert {answer.status_code for answer in answers} <= {200, 201, 202}, answers[-1].text
    assert len({answer.content for answer in answers}) == 1
    replayed = [answer for answer in answers if "Idempotent-Replayed" in answer.headers]
    assert len(replayed) == len(answers) - 1


async def check_no_secret_is_kept(scene: Scene, answer: httpx.Response) -> None:
    """What is told again does not stand in the database as it is told."""
    kept = await scene.database.pool.fetchval("SELECT response_body FROM idempotency_keys")
    shown = [value for name, value in answer.json().items() if name in ("api_key", "secret")]
    assert [secret for secret in shown if secret.encode() in kept] == []


async def check_refused(asking: Asking, case: Case) -> None:
    """Under another key the same request is refused: the check is one that a repeat could fail."""
    for statement in filter(None, case.then.split("; ")):
        await asking.scene.database.pool.execute(statement)
    refused = await asking.until_answered("another")
    body = refused.json()
    assert case.refusal in (refused.status_code, body.get("code")), (refused.status_code, body)
