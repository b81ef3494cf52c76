"""XMPP, over a server of another make, does what every driver must do."""

from collections.abc import AsyncIterator

import pytest

from ejabberd_server import EjabberdServer
from heliograph.networks.testing import Conformance, Harness
from xmpp_world import xmpp_world

pytest_plugins = ("xmpp_fixtures",)
pytestmark = pytest.mark.extra_fault


class TestXmppOverEjabberdConforms(Conformance):
    @pytest.fixture
    async def harness(self, ejabberd: EjabberdServer) -> AsyncIterator[Harness]:
        async with xmpp_world(ejabberd) as world:
            yield world
