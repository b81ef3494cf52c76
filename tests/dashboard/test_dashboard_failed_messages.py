"""The messages that failed: which are listed, with their reasons, and how the list goes on."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from dashboard_scene import DashboardScene, open_scene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.messages import failed_messages
from heliograph.networks.content import Text

INSERT_CONVERSATION = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, is_group,
    agent_paused, pinned, created_at, updated_at
) VALUES ($1, $2, $3, $4, $5, 'open', 0, false, false, false, now(), now())
"""


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def test_messages_that_failed_are_listed_with_their_reasons(scene: DashboardScene) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    mallory = await scene.member("mallory", globex, MemberRole.OWNER)
    device = await scene.device(acme)
    for number in range(3):
        await scene.send(device, Text("Hello"), to=f"+1555010000{number}")
    await scene.rows(
        "UPDATE messages SET status = 'failed', failed_at = now(), failure_reason = $1"
        " WHERE phone_number <> '+15550100001'",
        "No <b>such</b> number.",
    )
    conversation_id = uuid4()
    await scene.rows(
        INSERT_CONVERSATION, *acme.tenant, conversation_id, device.id, "15550100002@sandbox"
    )
    page = (await ada.get(path_of(acme, "messages/failed"))).text
    assert page.index("+15550100002") < page.index("+15550100000")
    assert "+15550100001" not in page
    assert page.count("No &lt;b&gt;such&lt;/b&gt; number.") == 2
    assert f'href="{path_of(acme, f"inbox/{conversation_id}")}#m-' in page
    other = (await mallory.get(path_of(globex, "messages/failed"))).text
    assert "No message has failed." in other


async def test_the_list_of_failed_messages_looks_at_so_many_and_goes_on(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failed_messages, "MAX_SCANNED", 2)
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    device = await scene.device(acme)
    for number in range(3):
        await scene.send(device, Text("Hello"), to=f"+1555010000{number}")
    await scene.rows(
        "UPDATE messages SET status = 'failed', failed_at = now()"
        " WHERE phone_number = '+15550100000'"
    )
    first = (await ada.get(path_of(acme, "messages/failed"))).text
    assert "+15550100000" not in first
    older = re.search(r'href="([^"]+)" rel="next"', first)
    assert older is not None
    second = (await ada.get(older[1])).text
    assert "+15550100000" in second
    assert 'rel="next"' not in second
    assert (await ada.get(path_of(acme, "messages/failed?before=x"))).status_code == 422
