"""A provider that says what a test wants, and a gateway where people sign in with it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from dashboard_scene import DashboardScene, open_scene
from heliograph.settings import SignInSettings
from odd_provider import SECRET, OddProvider, running_odd_provider


@pytest.fixture
def odd() -> Iterator[OddProvider]:
    with running_odd_provider() as provider:
        yield provider


@pytest.fixture
async def scene(
    database_url: str, tmp_path: Path, odd: OddProvider
) -> AsyncIterator[DashboardScene]:
    settings = SignInSettings(issuer=odd.url, client_secret=SecretStr(SECRET))
    async with open_scene(database_url, tmp_path, sign_in=settings) as scene:
        yield scene


@pytest.fixture
def browser(scene: DashboardScene) -> httpx.AsyncClient:
    return scene.browser()
