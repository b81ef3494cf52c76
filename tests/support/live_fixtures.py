"""The fixtures `gateway` and `start_gateway`: `pytest_plugins = ("live_fixtures",)` brings them."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from databases import fresh_database
from heliograph.settings import Settings
from live_gateway import LiveGateway, StartGateway, live_gateway


@pytest.fixture(scope="module")
def start_gateway(
    postgres_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StartGateway]:
    """Starts a gateway on a database of its own, which run until the module's tests are done."""
    with ExitStack() as stack:

        def start(settings: Settings | None = None) -> LiveGateway:
            url = stack.enter_context(fresh_database(postgres_url, template_database))
            folder = tmp_path_factory.mktemp("gateway")
            return stack.enter_context(live_gateway(url, folder, settings))

        yield start


@pytest.fixture(scope="module")
def gateway(start_gateway: StartGateway) -> LiveGateway:
    """A gateway with the defaults, which all tests of a module share."""
    return start_gateway()
