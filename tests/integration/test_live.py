"""The pages of one organization share what is asked of the database for them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import pytest
from dashboard_inbox_scene import InboxScene, open_inbox
from dashboard_scene import PATIENCE
from statements import counting_statements

from heliograph.errors import MissingScopeError, TooManyRequestsError, UnavailableError
from heliograph.services import live
from heliograph.services.event_feed import PAGE
from heliograph.services.live import Hint, LiveView, live_topic
from heliograph.services.principals import Principal, operator


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[InboxScene]:
    async with open_inbox(database_url, tmp_path) as scene:
        yield scene


async def told(view: LiveView, hint: Hint) -> None:
    """Wait until the page has been told."""
    async with asyncio.timeout(PATIENCE):
        while hint not in await view.next():
            pass


async def open_pages(
    scene: InboxScene, stack: AsyncExitStack, count: int, conversation_id: UUID
) -> list[LiveView]:
    """So many pages, each of which has been told all there is to tell."""
    service = scene.dashboard.gateway.live
    pages = [service.watch(scene.principal, conversation_id) for _ in range(count)]
    views = [await stack.enter_async_context(each) for each in pages]
    await told(views[0], Hint("conversations", conversation_id))
    return views


@pytest.mark.parametrize("count", [1, 12])
async def test_a_look_is_three_statements_however_many_pages_are_open(
    scene: InboxScene, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = await scene.hear(1)
    gateway = scene.dashboard.gateway
    async with AsyncExitStack() as stack:
        views = await open_pages(scene, stack, count, ana)
        monkeypatch.setattr(live, "LOOK_EVERY", 3600.0)  # it looks when it is woken, from the next
        await scene.hear(1)
        await asyncio.gather(*[told(view, Hint("messages", ana)) for view in views])
        await asyncio.sleep(4 * live.SPACING)
        with counting_statements() as statements:
            gateway.notifications.notify_here(live_topic(scene.acme.tenant))
            await asyncio.sleep(4 * live.SPACING)
    assert len(statements) == 3


async def test_how_a_conversation_stands_is_told_to_the_pages_that_show_it(
    scene: InboxScene,
) -> None:
    ana = await scene.hear(1)
    bob = (await scene.member("bob")).user.id
    gateway, who = scene.dashboard.gateway, scene.principal
    label = await gateway.labels.create(who, "VIP", "#ff0000")
    inbox, changed = gateway.inbox, Hint("conversations", ana)
    async with AsyncExitStack() as stack:
        [view] = await open_pages(scene, stack, 1, ana)
        for change in (
            lambda: inbox.assign(who, ana, bob),
            lambda: inbox.close(who, ana),
            lambda: inbox.pause_agent(who, ana, paused=True),
            lambda: inbox.pin(who, ana),
            lambda: inbox.add_label(who, ana, label.id),
            lambda: gateway.labels.delete(who, label.id),
        ):
            await change()
            await told(view, changed)


async def test_what_is_read_is_not_told(scene: InboxScene) -> None:
    """For the page that shows a message is what reads it, and would fetch it again and again."""
    ana = await scene.hear(1)
    async with AsyncExitStack() as stack:
        [view] = await open_pages(scene, stack, 1, ana)
        await scene.dashboard.gateway.inbox.mark_read(scene.principal, ana)
        for _ in range(2):
            assert await view.next() == []


async def test_nothing_is_told_of_a_conversation_of_somebody_else(scene: InboxScene) -> None:
    ana = await scene.hear(1)
    gateway = scene.dashboard.gateway
    globex = await scene.dashboard.organization("Globex")
    async with gateway.live.watch(operator(globex.tenant), ana) as view:
        await gateway.inbox.close(scene.principal, ana)
        for _ in range(2):
            assert await view.next() == []


async def test_a_page_that_nobody_reads_is_kept_little_for() -> None:
    view = LiveView(None)
    view.tell([Hint("messages", UUID(int=n)) for n in range(2 * PAGE)])
    assert {(each.kind, each.subject) for each in await view.next()} == {
        ("messages", None),
        ("conversations", None),
        ("devices", None),
    }


async def test_pages_end_when_the_database_can_not_be_asked_and_new_ones_begin_anew(
    scene: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = scene.dashboard.gateway.live

    async def gone(*_: object) -> None:
        raise UnavailableError

    async with AsyncExitStack() as stack:
        pages = [service.watch(scene.principal) for _ in range(3)]
        views = [await stack.enter_async_context(each) for each in pages]
        with monkeypatch.context() as patched:
            patched.setattr(live, "list_versions", gone)
            for view in views:
                with pytest.raises(UnavailableError):
                    await until_it_ends(view)
        async with service.watch(scene.principal) as anew:
            conversation_id = await scene.hear(1)
            await told(anew, Hint("messages", conversation_id))
    assert service.viewers == 0


async def until_it_ends(view: LiveView) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            await view.next()


async def test_a_process_has_so_many_pages_and_no_more(
    scene: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_VIEWS", 1)
    service = scene.dashboard.gateway.live
    async with service.watch(scene.principal):
        with pytest.raises(TooManyRequestsError):
            await service.watch(scene.principal).__aenter__()
    async with service.watch(scene.principal):
        assert service.viewers == 1


async def test_who_may_not_read_messages_is_told_nothing(scene: InboxScene) -> None:
    nobody = Principal(scene.acme.tenant, frozenset({"webhooks:read"}))
    with pytest.raises(MissingScopeError):
        await scene.dashboard.gateway.live.watch(nobody).__aenter__()
