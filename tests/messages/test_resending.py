"""Messages that failed or were canceled are sent again, as new ones; nothing else is."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from core_scene import BOB, NETWORK, Scene, arrival, message_id_of
from heliograph.core.idempotency.service import IdempotencyKey
from heliograph.core.ingest.model import MessageRefused
from heliograph.core.messages.edits.resending import ResendService
from heliograph.core.messages.model import Message
from heliograph.core.tenants.model import Principal, operator
from heliograph.errors import (
    AccountNotAllowedError,
    InvalidInputError,
    MessageNotFoundError,
    MissingScopeError,
)
from heliograph.networks.content import Text
from placing import place_organization


async def again(
    scene: Scene,
    message_id: UUID,
    principal: Principal | None = None,
    key: IdempotencyKey | None = None,
) -> Message:
    """The new message."""
    service = ResendService(scene.database, scene.messages)
    response = await service.resend(principal or scene.principal, message_id, key)
    return await scene.message(message_id_of(response))


async def fail(scene: Scene, message_id: UUID) -> UUID:
    await scene.claim()
    await scene.report(MessageRefused(message_id, "Nobody has this number."))
    return message_id


async def test_what_failed_is_sent_again_as_a_new_message(scene: Scene) -> None:
    other = await scene.accounts.create(scene.principal, NETWORK, "Other", "other", {})
    failed = await fail(scene, await scene.accept("Hello", BOB))
    await scene.rows("UPDATE accounts SET is_primary = false")
    await scene.rows("UPDATE accounts SET is_primary = true WHERE id = $1", other.id)
    new = await again(scene, failed)
    assert new.id != failed
    assert (new.recipient, new.content, new.status) == (BOB, Text("Hello"), "queued")
    assert new.account_id == scene.account.id
    assert (await scene.message(failed)).status == "failed"
    assert [message.id for message in await scene.claim()] == [new.id]


async def test_it_answers_what_the_first_one_answered_and_goes_out_at_once(scene: Scene) -> None:
    asked = await scene.send("When?")
    canceled = await scene.accept(
        "At noon",
        account_id=scene.account.id,
        reply_to_message_id=asked.id,
        scheduled_for=scene.database.clock.now() + timedelta(days=1),
        metadata={"order": "7"},
    )
    await scene.cancellations.cancel(scene.principal, canceled)
    new = await again(scene, canceled)
    assert (new.reply_to_message_id, new.metadata) == (asked.id, {"order": "7"})
    assert (new.status, new.scheduled_for) == ("queued", None)
    assert new.run_id != "run_At noon"


async def test_one_key_makes_one_message(scene: Scene) -> None:
    failed = await fail(scene, await scene.accept("Hello"))
    made = [
        await again(scene, failed, key=IdempotencyKey(name, b"the same"))
        for name in ("one", "one", "two")
    ]
    assert made[0].id == made[1].id != made[2].id
    assert await scene.count("messages") == 3


async def test_what_did_not_fail_is_not_sent_again(scene: Scene) -> None:
    sent = (await scene.send("Sent")).id
    queued = await scene.accept("Waits", BOB)
    await scene.report(arrival("A1"))
    [came] = await scene.rows("SELECT id FROM messages WHERE direction = 'inbound'")
    for message_id, status in ((queued, "queued"), (sent, "sent"), (came["id"], "received")):
        with pytest.raises(InvalidInputError, match=f"and this is {status}"):
            await again(scene, message_id)
    await scene.rows("UPDATE messages SET status = 'failed' WHERE direction = 'inbound'")
    with pytest.raises(InvalidInputError):
        await again(scene, came["id"])
    assert await scene.count("messages") == 3


async def test_of_what_is_not_kept_nothing_is_sent_again(scene: Scene) -> None:
    await scene.rows("UPDATE accounts SET message_logging_enabled = false")
    failed = await fail(scene, await scene.accept("Hello"))
    with pytest.raises(InvalidInputError, match="not kept"):
        await again(scene, failed)
    assert await scene.count("messages") == 1


async def test_who_may_not_send_it_sends_it_not_again_either(scene: Scene) -> None:
    failed = await fail(scene, await scene.accept("Hello"))
    globex = await place_organization(scene.database, "Globex", scene.principal.tenant.shard)
    reader = replace(scene.principal, scopes=frozenset({"messages:read"}))
    for principal, error in (
        (reader, MissingScopeError),
        (scene.limited(uuid4()), AccountNotAllowedError),
        (operator(globex.tenant), MessageNotFoundError),
    ):
        with pytest.raises(error):
            await again(scene, failed, principal)
    with pytest.raises(MessageNotFoundError):
        await again(scene, uuid4())
    assert await scene.count("messages") == 1
