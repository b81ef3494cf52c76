"""The forms that statements have on Citus, which any PostgreSQL takes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def as_on_citus() -> Iterator[None]:
    """Write within this block as on Citus."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("insertion", "together"):
            patch.setattr(f"heliograph.core.tenants.{module}.is_on_citus", lambda _connection: True)
        yield
