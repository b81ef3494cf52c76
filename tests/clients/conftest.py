"""The package of the n8n nodes, built once for each module."""

from pathlib import Path

import pytest

from n8n_engine import need_built_package


@pytest.fixture(scope="module")
def package() -> Path:
    return need_built_package()
