"""Tests of the units are run by `make systemd`: they make a machine, which takes minutes."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--systemd") else True
