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

_PARTS = (
    "changing", "claims", "connecting", "contents", "grouping", "people", "receiving", "recorder",
    "sending", "suite",
)  # fmt: skip
pytest.register_assert_rewrite(*(f"heliograph.networks.testing.{part}" for part in _PARTS))

# imported only now, so that their assertions are rewritten
from heliograph.networks.testing.conformance import QUESTION, Conformance  # noqa: E402
from heliograph.networks.testing.files import MemoryFile  # noqa: E402
from heliograph.networks.testing.harness import Connected, Harness, ShownMessage  # noqa: E402
from heliograph.networks.testing.recorder import Recorder  # noqa: E402

__all__ = [
    "QUESTION",
    "Conformance",
    "Connected",
    "Harness",
    "MemoryFile",
    "Recorder",
    "ShownMessage",
]
