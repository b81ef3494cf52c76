"""WhatsApp, over the stand-in, does what every driver must do."""

import pytest

import libmagic_needed  # noqa: F401 - before the library
from heliograph.networks.testing import Conformance, Harness
from heliograph.networks.whatsapp.conversion import disconnects
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)


class TestWhatsAppConforms(Conformance):
    @pytest.fixture
    async def harness(self, whatsapp: WhatsApp, monkeypatch: pytest.MonkeyPatch) -> Harness:
        # no lease keeps the older of two sessions from coming back
        monkeypatch.setattr(disconnects, "TAKEOVER_PAUSE", 600.0)
        return whatsapp
