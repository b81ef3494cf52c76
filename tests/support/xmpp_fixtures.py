"""The fixtures `prosody`, `ejabberd`, and `xmpp`, accounts on the first:
`pytest_plugins = ("xmpp_fixtures",)` brings them."""

from collections.abc import AsyncIterator, Generator, Iterator

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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show beside a failure what the server had to say."""
    report = yield
    world = getattr(item, "funcargs", {}).get("xmpp")
    if report.failed and isinstance(world, Xmpp):
        report.sections.append(("log of the XMPP server", world.server.log))
    return report
