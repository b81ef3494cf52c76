"""A provider that says what a test wants."""

from collections.abc import Iterator

import pytest

from odd_provider import OddProvider, running_odd_provider


@pytest.fixture
def odd() -> Iterator[OddProvider]:
    with running_odd_provider() as provider:
        yield provider
