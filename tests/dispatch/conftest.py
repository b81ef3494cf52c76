"""What the tests of this folder are given."""

import pytest

from core_scene import ScriptedSession
from core_scene import scene as scene


@pytest.fixture
def session() -> ScriptedSession:
    return ScriptedSession()
