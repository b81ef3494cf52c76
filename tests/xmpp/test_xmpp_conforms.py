"""XMPP, over a real server, does what every driver must do."""

import pytest

from conformance import Conformance, Harness
from xmpp_world import Xmpp

pytest_plugins = ("xmpp_fixtures",)


class TestXmppConforms(Conformance):
    @pytest.fixture
    async def harness(self, xmpp: Xmpp) -> Harness:
        return xmpp
