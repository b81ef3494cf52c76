"""How long requests wait for the database in a test's own process.

A machine that is busy with other tests has been seen to need more than the gateway grants. Tests of
what is answered then take the fixture `hasty_requests`.
"""

import pytest

from heliograph.platform.database.pool import Database

_GRANTED = Database.request_timeout
_PATIENT = 60.0


def pytest_configure() -> None:
    Database.request_timeout = _PATIENT


@pytest.fixture
def hasty_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait as long as they do in an installation."""
    monkeypatch.setattr(Database, "request_timeout", _GRANTED)
