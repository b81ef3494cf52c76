"""Tests of the image are run by `make image`, which builds it; others have no image to run."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--image") else True
