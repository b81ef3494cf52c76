"""Tests that the server at hand can't run, as the coordinator of Citus:

@pytest.mark.one_server("explains plans, which are those of one server")
"""

import os

import pytest

from databases import list_servers

_url = os.environ.get("HELIOGRAPH_TEST_DATABASE_URL")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what tables spread over several servers can't do, before fixtures fill them for it."""
    mark = item.get_closest_marker("one_server")
    if mark is not None and _url is not None and len(list_servers(_url)) > 1:
        pytest.skip(f"not on Citus: {mark.args[0]}")
