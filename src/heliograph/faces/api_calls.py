"""Calls of the public API from within the process, on behalf of somebody who has signed in.

The API offers them (`api.calling`), and a page of the dashboard makes them, so no API key has to be
in a browser.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from heliograph.core.tenants.model import Principal


@dataclass(frozen=True, slots=True)
class Parameter:
    """A part of the path, or of the query. `values` lists all possible ones, where they are few."""

    name: str
    description: str
    is_in_path: bool
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Operation:
    """`path` has its parameters in braces; `example` is a body that fits, None where none is sent.
    `scope` is what the caller has to be granted."""

    id: str
    group: str
    title: str
    description: str
    method: str
    path: str
    scope: str
    parameters: Sequence[Parameter]
    example: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """`path` and `query` as they stand in a URL."""

    method: str
    path: str
    query: str
    body: bytes | None
    idempotency_key: str | None


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """`headers` have lower-case names; `seconds` is how long the answer took."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class ApiCalls:
    """The operations that can be called, and the caller, which may raise `TimeoutError`."""

    operations: Sequence[Operation]
    call: Callable[[Principal, Call], Awaitable[CallAnswer]]
