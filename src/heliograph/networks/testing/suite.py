"""What all parts of the suite share."""

import contextlib
from collections.abc import Iterator
from typing import TypeVar

import pytest

from heliograph.networks.testing.harness import Connected, Harness, check_harness

P = TypeVar("P")

LONG = (("  two  spaces,\n\na \\n that is no line, a \\\\ 🌞,\ttab\n" * 40)[:1490] + "the  end\n ")[
    -1500:
]
"""1,500 characters, some of which a driver changes that escapes, strips or cuts text."""


class Suite:
    """Tests with an account of the network, over the fixture `harness` of the subclass."""

    @pytest.fixture(autouse=True)
    def _complete_harness(self, harness: Harness) -> None:
        check_harness(harness)

    @pytest.fixture
    async def one(self, harness: Harness) -> Connected:
        return await harness.connected()


def require(at: Connected, claim: str, protocol: type[P]) -> P:
    wanted = protocol.__name__
    assert isinstance(at.session, protocol), f"claims {claim}, but its session is no {wanted}"
    return at.session


def address_of(at: Connected, person: str) -> str:
    return at.network.recipient(person, at.account.settings)


@contextlib.contextmanager
def possible(what: str, *, claimed: bool = True) -> Iterator[None]:
    """Fail the test if the harness does not implement what the block does; skip it if the network
    does not claim it."""
    try:
        yield
    except NotImplementedError:
        if claimed:
            pytest.fail(f"the network claims it, and the harness can't {what}")
        pytest.skip(f"the network does not claim it, and the harness can't {what}")
