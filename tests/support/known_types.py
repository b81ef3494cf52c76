"""What PostgreSQL's own types are, a process asks once, and not on each new connection, as asyncpg
does: that takes a tenth of a small test. Below 16384 a type has one number in every database."""

from typing import Any

import asyncpg

_FIRST_OF_A_DATABASE = 16384
_asyncpg: Any = asyncpg.Connection  # whose stubs leave this out
_ask = _asyncpg._introspect_types
_known: dict[frozenset[int], Any] = {}


async def _ask_once(connection: Any, types: set[int], timeout: float) -> Any:
    if max(types) >= _FIRST_OF_A_DATABASE:
        return await _ask(connection, types, timeout)
    if (key := frozenset(types)) not in _known:
        _known[key] = await _ask(connection, types, timeout)
    return _known[key]


_asyncpg._introspect_types = _ask_once
