"""The pages of one organization share what is asked of the database for them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from uuid import UUID

import pytest

from dashboard_inbox_scene import InboxScene, open_inbox
from dashboard_scene import PATIENCE, Person
from heliograph.core import topics
from heliograph.core.events.service import PAGE
from heliograph.core.live import service as live
from heliograph.core.live import service as live_limits
from heliograph.core.live.service import (
    AccessRevokedError,
    DisplacedError,
    Hint,
    LiveView,
    Viewer,
)
from heliograph.core.members.model import MemberRole, granted_scopes
from heliograph.core.members.sessions import hash_token
from heliograph.core.tenants.model import Principal, operator
from heliograph.errors import MissingScopeError, TooManyRequestsError, UnavailableError
from statements import counting_statements
from waiting import until


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[InboxScene]:
    async with open_inbox(database_url, tmp_path) as scene:
        yield scene


async def notified(view: LiveView, hint: Hint) -> None:
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
    views = [await stack.enter_async_context(page) for page in pages]
    await notified(views[0], Hint("conversations", conversation_id))
    return views


@pytest.mark.parametrize("count", [1, 12])
async def test_a_look_is_four_statements_however_many_pages_are_open(
    scene: InboxScene, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = await scene.arrive(1)
    gateway = scene.dashboard.gateway
    bob = await scene.member("bob")
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watch(scene, bob))
        views = await open_pages(scene, stack, count, ana)
        monkeypatch.setattr(
            live, "POLL_INTERVAL", 3600.0
        )  # it looks when it is woken, from the next
        await scene.arrive(1)
        await asyncio.gather(*[notified(view, Hint("messages", ana)) for view in views])
        with counting_statements() as statements:
            await asyncio.sleep(4 * live.MIN_INTERVAL)
            while statements:
                statements.clear()
                await asyncio.sleep(4 * live.MIN_INTERVAL)
            gateway.notifications.notify_here(topics.live(scene.acme.tenant))
            await until(lambda: len(statements) >= 4)
            await asyncio.sleep(4 * live.MIN_INTERVAL)
    assert len(statements) == 4


async def test_how_a_conversation_stands_is_told_to_the_pages_that_show_it(
    scene: InboxScene,
) -> None:
    ana = await scene.arrive(1)
    bob = (await scene.member("bob")).user.id
    gateway, who = scene.dashboard.gateway, scene.principal
    label = await gateway.labels.create(who, "VIP", "#ff0000")
    inbox, changed = gateway.inbox, Hint("conversations", ana)
    async with AsyncExitStack() as stack:
        [view] = await open_pages(scene, stack, 1, ana)
        for change in (
            lambda: inbox.assign(who, ana, bob),
            lambda: inbox.close(who, ana),
            lambda: inbox.set_agent_paused(who, ana, paused=True),
            lambda: inbox.pin(who, ana),
            lambda: inbox.add_label(who, ana, label.id),
            lambda: gateway.labels.delete(who, label.id),
        ):
            await change()
            await notified(view, changed)


async def test_what_is_read_is_not_told(scene: InboxScene) -> None:
    """For the page that shows a message is what reads it, and would fetch it again and again."""
    ana = await scene.arrive(1)
    async with AsyncExitStack() as stack:
        [view] = await open_pages(scene, stack, 1, ana)
        await scene.dashboard.gateway.inbox.mark_read(scene.principal, ana)
        for _ in range(2):
            assert await view.next() == []


async def test_nothing_is_told_of_a_conversation_of_somebody_else(scene: InboxScene) -> None:
    ana = await scene.arrive(1)
    gateway = scene.dashboard.gateway
    globex = await scene.dashboard.organization("Globex")
    async with gateway.live.watch(operator(globex.tenant), ana) as view:
        await gateway.inbox.close(scene.principal, ana)
        for _ in range(2):
            assert await view.next() == []


async def test_a_page_that_nobody_reads_is_kept_little_for() -> None:
    view = LiveView(Viewer(frozenset()))
    view.report([Hint("messages", UUID(int=n)) for n in range(2 * PAGE)])
    assert {(hint.kind, hint.subject) for hint in await view.next()} == {
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
        views = [await stack.enter_async_context(page) for page in pages]
        with monkeypatch.context() as patched:
            patched.setattr(live, "list_versions", gone)
            for view in views:
                with pytest.raises(UnavailableError):
                    await until_it_ends(view)
        async with service.watch(scene.principal) as anew:
            conversation_id = await scene.arrive(1)
            await notified(anew, Hint("messages", conversation_id))
    assert service.viewers == 0


def watch(scene: InboxScene, person: Person) -> AbstractAsyncContextManager[LiveView]:
    """A page that this agent looks at, signed in."""
    agent = Principal(scene.acme.tenant, granted_scopes(MemberRole.AGENT), user_id=person.user.id)
    service = scene.dashboard.gateway.live
    return service.watch(agent, session=hash_token(person.token))


async def until_it_ends(view: LiveView) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            await view.next()


async def test_the_oldest_page_of_a_person_gives_way_to_the_newest(
    scene: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_limits, "MAX_VIEWS_OF_PERSON", 2)
    ada, bob = await scene.member("ada"), await scene.member("bob")
    async with AsyncExitStack() as stack:
        theirs = await stack.enter_async_context(watch(scene, bob))
        mine = [await stack.enter_async_context(watch(scene, ada)) for _ in range(3)]
        with pytest.raises(DisplacedError):
            await until_it_ends(mine[0])
        assert not any(other.has_ended for other in (*mine[1:], theirs))


async def test_connections_that_nobody_reads_do_not_add_up(
    scene: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that gave way is counted until its connection is gone."""
    monkeypatch.setattr(live_limits, "MAX_VIEWS_OF_PERSON", 2)
    ada = await scene.member("ada")
    async with AsyncExitStack() as stack:
        for _ in range(4):
            await stack.enter_async_context(watch(scene, ada))
        with pytest.raises(TooManyRequestsError):
            await stack.enter_async_context(watch(scene, ada))
    async with watch(scene, ada):
        assert scene.dashboard.gateway.live.viewers == 1


@pytest.mark.parametrize("limit", ["MAX_VIEWS", "MAX_VIEWS_OF_ORGANIZATION"])
async def test_where_it_is_full_nobody_gives_way_to_somebody_else(
    scene: InboxScene, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_limits, limit, 2)
    ada, bob = await scene.member("ada"), await scene.member("bob")
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(watch(scene, ada))
        second = await stack.enter_async_context(watch(scene, ada))
        with pytest.raises(TooManyRequestsError) as refused:
            await stack.enter_async_context(watch(scene, bob))
        assert refused.value.retry_after == live_limits.RETRY_INTERVAL
        await stack.enter_async_context(watch(scene, ada))
        assert (first.has_ended, second.has_ended) == (True, False)
    async with watch(scene, bob):
        assert scene.dashboard.gateway.live.viewers == 1


async def test_one_organization_does_not_take_the_places_of_another(
    scene: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_limits, "MAX_VIEWS_OF_ORGANIZATION", 1)
    globex = operator((await scene.dashboard.organization("Globex")).tenant)
    ada, bob = await scene.member("ada"), await scene.member("bob")
    async with watch(scene, ada), scene.dashboard.gateway.live.watch(globex):
        with pytest.raises(TooManyRequestsError):
            await watch(scene, bob).__aenter__()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM browser_sessions WHERE user_id = $1",
        "UPDATE browser_sessions SET seen_at = now() - interval '13 hours' WHERE user_id = $1",
        "UPDATE browser_sessions SET created_at = now() - interval '8 days' WHERE user_id = $1",
        "UPDATE members SET role = 'viewer' WHERE user_id = $1",
        "DELETE FROM members WHERE user_id = $1",
    ],
)
async def test_a_page_ends_with_its_session_or_membership(scene: InboxScene, change: str) -> None:
    """Changed as by another node, of which this one is not told."""
    ada, bob = await scene.member("ada"), await scene.member("bob")
    async with watch(scene, ada) as hers, watch(scene, bob) as his:
        await scene.dashboard.rows(change, ada.user.id)
        with pytest.raises(AccessRevokedError):
            await until_it_ends(hers)
        for _ in range(2):
            await his.next()


async def test_who_may_not_read_messages_is_told_nothing(scene: InboxScene) -> None:
    nobody = Principal(scene.acme.tenant, frozenset({"webhooks:read"}))
    with pytest.raises(MissingScopeError):
        await scene.dashboard.gateway.live.watch(nobody).__aenter__()
