"""What tests of the dashboard have before them: a gateway without anybody, an inbox, a phone."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from dashboard_inbox_scene import InboxScene, open_inbox
from dashboard_phone_scene import PhoneScene, open_phone
from dashboard_scene import DashboardScene, Person
from dashboard_scene import scene as scene
from heliograph.core.tenants.model import Organization
from heliograph.faces.dashboard import live
from sandbox_world import Sandbox


@pytest.fixture
async def inbox(database_url: str, tmp_path: Path) -> AsyncIterator[InboxScene]:
    async with open_inbox(database_url, tmp_path) as inbox:
        yield inbox


@pytest.fixture
async def ada(inbox: InboxScene) -> Person:
    """Who answers at the inbox."""
    return await inbox.member("ada")


@pytest.fixture
async def ana(inbox: InboxScene) -> UUID:
    """The conversation of somebody who has written."""
    return await inbox.arrive(1)


@pytest.fixture
async def phone(sandbox: Sandbox, tmp_path: Path) -> AsyncIterator[PhoneScene]:
    """Of a module that has `pytest_plugins = ("sandbox_fixtures",)`."""
    async with open_phone(sandbox, tmp_path) as phone:
        yield phone


@pytest.fixture
async def acme(scene: DashboardScene) -> Organization:
    return await scene.organization("Acme")


@pytest.fixture
def streams_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """For who asks for every page: httpx's ASGI transport waits for the end of an answer."""
    monkeypatch.setattr(live, "STREAM_TIMEOUT", 0.0)
