"""What the tests of this folder are given."""

import pytest

from heliograph.networks.testing import Connected
from whatsapp_world import WhatsApp


@pytest.fixture
async def one(whatsapp: WhatsApp) -> Connected:
    return await whatsapp.connected()
