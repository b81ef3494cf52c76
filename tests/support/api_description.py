"""The description of the API, made once for all tests of a process: each takes 0.2 s."""

from functools import cache
from typing import Any

from heliograph.faces.api.app import describe_api


@cache
def api_description() -> dict[str, Any]:
    """What `describe_api` returns; to be read and left as it is."""
    return describe_api()
