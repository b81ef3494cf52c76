"""The fixture `whatsapp`; a test module takes it with `pytest_plugins = ("whatsapp_fixtures",)`."""

from collections.abc import AsyncIterator

import pytest

import libmagic_needed  # noqa: F401 - before the library
from whatsapp_world import WhatsApp, whatsapp_at


@pytest.fixture
async def whatsapp(database_url: str) -> AsyncIterator[WhatsApp]:
    async with whatsapp_at(database_url) as there:
        yield there
