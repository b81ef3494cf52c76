"""The fixture `project`: `pytest_plugins = ("typescript_fixtures",)` brings it."""

import pytest

from typescript_client import Project, install_client


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which the client for TypeScript is installed; a module's tests share it."""
    return install_client(tmp_path_factory.mktemp("project"))
