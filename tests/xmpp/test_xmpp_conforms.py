"""XMPP, over a real server, does what every driver must do."""

import pytest

from heliograph.networks.testing import Conformance, Harness
from xmpp_world import Xmpp

pytest_plugins = ("xmpp_fixtures",)


class TestXmppConforms(Conformance):
    @pytest.fixture
    async def harness(self, xmpp: Xmpp) -> Harness:
        return xmpp
