"""The fixture `whatsapp`; a test module takes it with `pytest_plugins = ("whatsapp_fixtures",)`."""

from collections.abc import AsyncIterator

import pytest

import libmagic_needed  # noqa: F401 - before the library
from whatsapp_world import WhatsApp, whatsapp_at


@pytest.fixture
async def whatsapp(own_database_url: str) -> AsyncIterator[WhatsApp]:
    """The library makes tables of its own, so each test has a database of its own."""
    async with whatsapp_at(own_database_url) as there:
        yield there
