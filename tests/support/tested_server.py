"""Tests that the server at hand can't run: as the coordinator of Citus, or as one that is given.

@pytest.mark.one_server("explains plans, which are those of one server")
@pytest.mark.own_postgres("kills it")
"""

import os

import pytest

from databases import list_servers

_url = os.environ.get("HELIOGRAPH_TEST_DATABASE_URL")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what can't be done there, before fixtures fill tables for it."""
    if _url is None:
        return
    if mark := item.get_closest_marker("own_postgres"):
        pytest.skip(f"needs a PostgreSQL of its own: {mark.args[0]}")
    mark = item.get_closest_marker("one_server")
    if mark is not None and len(list_servers(_url)) > 1:
        pytest.skip(f"not on Citus: {mark.args[0]}")
