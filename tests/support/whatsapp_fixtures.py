"""The fixture `whatsapp`; a test module takes it with `pytest_plugins = ("whatsapp_fixtures",)`."""

from collections.abc import AsyncIterator, Iterator

import pytest

import libmagic_needed  # noqa: F401 - before the library
from databases import close_template, fresh_database, url_name
from emptied_database import EmptiedDatabase
from whatsapp_standin import make_devices
from whatsapp_world import WhatsApp, whatsapp_at


@pytest.fixture(scope="session")
def whatsapp_database(postgres_url: str, template_database: str) -> Iterator[EmptiedDatabase]:
    """As `emptied_database`, with the table that the library makes."""
    with fresh_database(postgres_url, template_database) as template:
        make_devices(template)
        close_template(postgres_url, template)
        database = EmptiedDatabase(postgres_url, url_name(template))
        yield database
        database.close()


@pytest.fixture
def whatsapp_url(whatsapp_database: EmptiedDatabase) -> Iterator[str]:
    with whatsapp_database.lend() as url:
        yield url


@pytest.fixture
async def whatsapp(whatsapp_url: str) -> AsyncIterator[WhatsApp]:
    async with whatsapp_at(whatsapp_url) as there:
        yield there
