"""The conformance suite for drivers: `pip install 'heliograph[testing]'`.

A driver's test module says how to reach its network, and inherits the tests:

    from heliograph.networks.testing import Conformance, Connected, Harness, Recorder

    class PigeonPost(Harness): ...

    class TestPigeonConforms(Conformance):
        @pytest.fixture
        async def harness(self) -> Harness:
            return PigeonPost()

The tests are coroutines: set `asyncio_mode = "auto"` for pytest-asyncio. Tests of what a network
does not claim to do in its `Capabilities` are skipped.
"""

import pytest

pytest.register_assert_rewrite(
    "heliograph.networks.testing.conformance", "heliograph.networks.testing.recorder"
)

# below what must come before they are imported
from heliograph.networks.testing.conformance import QUESTION, Conformance  # noqa: E402
from heliograph.networks.testing.harness import Connected, Harness  # noqa: E402
from heliograph.networks.testing.recorder import Recorder  # noqa: E402

__all__ = ["QUESTION", "Conformance", "Connected", "Harness", "Recorder"]
