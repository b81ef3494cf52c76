"""The live stream: it tells of what happens in one organization, and ends when it should."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dashboard_scene import PATIENCE, DashboardScene, Person, open_scene, path_of
from event_stream import Stream
from heliograph.core.events.service import EventFeed
from heliograph.core.live import service as live_limits
from heliograph.core.live import service as live_service
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization
from heliograph.faces.dashboard import live
from heliograph.networks.content import Text
from heliograph.networks.phone_actions import Disconnect


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


def listen(scene: DashboardScene, person: Person, organization: Organization) -> Stream:
    return Stream(scene, person, path_of(organization, "live"))


async def test_a_message_is_told_with_its_conversation(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with scene.at_work():
        device = await scene.connected(await scene.device(acme))
        async with listen(scene, ada, acme) as stream:
            await scene.send(device, Text("Hello"))
            told = await stream.until("event: messages\ndata: ")
        [row] = await scene.rows("SELECT id FROM conversations")
    assert f"event: messages\ndata: {row['id']}\n\n" in told
    assert stream.headers["content-type"].startswith("text/event-stream")


async def test_a_page_looks_when_all_that_happens_from_then_on_is_told(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when it is connected: what happens in between would be shown by neither."""
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    is_let, start = asyncio.Event(), EventFeed.start

    async def start_late(feed: EventFeed) -> None:
        await is_let.wait()
        await start(feed)

    monkeypatch.setattr(EventFeed, "start", start_late)
    stream = listen(scene, ada, acme)
    looked = asyncio.create_task(stream.__aenter__())

    async def headers() -> dict[str, str]:
        return stream.headers

    await scene.until(headers, bool)
    assert not looked.done()
    is_let.set()
    await looked
    await stream.__aexit__()


async def test_each_change_of_a_device_is_told_renewed_codes_too(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with listen(scene, ada, acme) as stream:
        device = await scene.device(acme, pair_automatically="false")
        assert str(device.id) in await stream.until("event: devices")
        for code in ("one", "two"):
            await scene.rows(
                "UPDATE accounts SET pairing = $1, updated_at = now()",
                f'{{"kind": "qr", "payload": "{code}"}}',
            )
            assert f"event: devices\ndata: {device.id}\n\n" in await stream.until("devices")


async def test_a_change_that_is_reported_is_told_at_once(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with scene.at_work():
        device = await scene.connected(await scene.device(acme))
        monkeypatch.setattr(live_service, "POLL_INTERVAL", 3600.0)  # it looks when it is woken
        async with listen(scene, ada, acme) as stream:
            await scene.gateway.simulator.of(device).act(Disconnect(seconds=5))
            await stream.until("event: devices")


async def test_another_organization_hears_nothing(scene: DashboardScene) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    mallory = await scene.member("mallory", globex, MemberRole.OWNER)
    async with scene.at_work():
        device = await scene.connected(await scene.device(acme))
        async with listen(scene, mallory, globex) as theirs, listen(scene, ada, acme) as ours:
            await scene.send(device, Text("Hello"))
            await ours.until("event: messages")
            await asyncio.sleep(1.2)
            assert theirs.rest() == ""


async def test_silence_is_kept_alive(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "KEEP_ALIVE", 0.1)
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with listen(scene, ada, acme) as stream:
        assert await stream.until(": still here\n\n")


async def test_nothing_is_left_when_the_browser_goes(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    before = asyncio.all_tasks()
    async with listen(scene, ada, acme), listen(scene, ada, acme):
        assert scene.gateway.live.viewers == 2
    assert scene.gateway.live.viewers == 0

    async def tasks() -> set[asyncio.Task[None]]:
        return asyncio.all_tasks()

    await scene.until(tasks, lambda there: there <= before)


async def test_it_ends_with_the_node(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with listen(scene, ada, acme) as stream:
        stream.is_node_leaving = True
        await asyncio.wait_for(asyncio.shield(stream.task), PATIENCE)


async def test_it_ends_after_a_while_and_asks_again_who_listens(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STREAM_TIMEOUT", 0.1)
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    assert "retry: 1000" in (await ada.get(path_of(acme, "live"))).text
    await ada.post("/dashboard/sign-out")
    assert (await ada.get(path_of(acme, "live"))).status_code == 303


def pause_in(told: str) -> float:
    """Seconds after which the browser comes again."""
    [*_, last] = re.findall(r"retry: (\d+)", told)
    return int(last) / 1000


async def ended(stream: Stream) -> str:
    """What was told, up to the end."""
    await asyncio.wait_for(asyncio.shield(stream.task), PATIENCE)
    return stream.rest()


async def test_a_page_too_many_of_a_person_makes_the_oldest_pause(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_limits, "MAX_VIEWS_OF_PERSON", 1)
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with listen(scene, ada, acme) as oldest, listen(scene, ada, acme) as newest:
        assert pause_in(await ended(oldest)) >= live.DISPLACED_RETRY_INTERVAL
        assert not newest.task.done()


async def test_a_page_too_many_of_an_organization_is_refused_with_a_pause(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_limits, "MAX_VIEWS_OF_ORGANIZATION", 1)
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    bob = await scene.member("bob", acme, MemberRole.VIEWER)
    async with listen(scene, ada, acme) as hers:
        refused = await bob.get(path_of(acme, "live"))
        assert refused.status_code == 200  # after any other the browser waits as long as it likes
        assert pause_in(refused.text) >= live_limits.RETRY_INTERVAL
        assert "event: look" in refused.text, "each time that it comes it sees what is new"
        assert not hers.task.done()


async def test_a_page_is_told_to_reload_when_its_reader_signs_out(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.VIEWER)
    async with listen(scene, ada, acme) as stream:
        await ada.post("/dashboard/sign-out")
        assert "event: reload\ndata:\n\n" in await ended(stream)
    answer = await ada.browser.get(path_of(acme, "live"), headers={"Accept": "text/event-stream"})
    assert "event: reload\ndata:\n\n" in answer.text
    assert pause_in(answer.text) >= live.DISPLACED_RETRY_INTERVAL


async def test_a_page_is_told_to_reload_when_its_reader_is_removed_or_becomes_another(
    scene: DashboardScene,
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.AGENT)
    eve = await scene.member("eve", acme, MemberRole.OWNER)
    async with listen(scene, ada, acme) as stream, listen(scene, eve, acme) as other:
        await eve.post(path_of(acme, f"members/{ada.user.id}/role"), role="viewer")
        assert "event: reload" in await ended(stream)
        async with listen(scene, ada, acme) as again:
            await eve.post(path_of(acme, f"members/{ada.user.id}/remove"))
            assert "event: reload" in await ended(again)
        assert not other.task.done()
