"""How long requests wait for the database in a test's own process: a minute, so that a machine that
is busy with other tests fails none.

Tests of requests that give up take the fixture `hasty_requests`.
"""

import pytest

from databases import ANSWER_TIMEOUT
from heliograph.platform.database import pool
from heliograph.platform.database.pool import Database

_REQUEST_TIMEOUT, _SEARCH_TIMEOUT = Database.request_timeout, pool.SEARCH_TIMEOUT


def pytest_configure() -> None:
    Database.request_timeout = pool.SEARCH_TIMEOUT = ANSWER_TIMEOUT


@pytest.fixture
def hasty_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait as long as they do in an installation."""
    monkeypatch.setattr(Database, "request_timeout", _REQUEST_TIMEOUT)
    monkeypatch.setattr(pool, "SEARCH_TIMEOUT", _SEARCH_TIMEOUT)
