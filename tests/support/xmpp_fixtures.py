"""The fixtures `prosody`, `ejabberd`, and `xmpp`, accounts on the first:
`pytest_plugins = ("xmpp_fixtures",)` brings them."""

from collections.abc import AsyncIterator, Iterator

import pytest

from ejabberd_server import EjabberdServer, running_ejabberd
from prosody_server import ProsodyServer, running_prosody
from xmpp_world import Xmpp, xmpp_world


@pytest.fixture(scope="session")
def prosody() -> Iterator[ProsodyServer]:
    """One server for all tests that do it no harm: each has people of its own."""
    with running_prosody() as server:
        yield server


@pytest.fixture(scope="session")
def ejabberd() -> Iterator[EjabberdServer]:
    with running_ejabberd() as server:
        yield server


@pytest.fixture
async def xmpp(prosody: ProsodyServer) -> AsyncIterator[Xmpp]:
    async with xmpp_world(prosody) as world:
        yield world
