"""Traces: what became of a request or a message, as spans that belong together (OpenTelemetry).

A tracer is chosen once, when a process starts (`tracers`). This one records nothing, and needs no
library; `otlp_tracing` has the one that records. Code that would have to make attributes for a span
checks `is_on` first, or the context of what the span belongs to, which is None unless recorded.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType, TracebackType
from typing import Literal, Self, TypeAlias

Kind = Literal["server", "client", "producer", "consumer", "internal"]
Attributes: TypeAlias = Mapping[str, str | int | bool]
NO_ATTRIBUTES: Attributes = MappingProxyType({})


class Span:
    """A span that nobody records. It ends where its `with` ends.

    `context` is what later spans continue from, in any process: its `traceparent` and, after a
    space, the trace's `tracestate` if there is one (W3C Trace Context, level 2). None unless it is
    recorded.
    """

    __slots__ = ("context",)

    def __init__(self, context: str | None = None) -> None:
        self.context = context

    @property
    def trace_id(self) -> str | None:
        """The trace's id, as log lines and backends show it."""
        return None if self.context is None else self.context[3:35]

    def annotate(self, attributes: Attributes) -> None:
        """Add attributes."""

    def rename(self, name: str) -> None:
        """Give it a name that was not known when it began."""

    def fail(self, error: str) -> None:
        """Mark it as failed. `error` is a word for programs, such as the name of a class."""

    def end(self) -> None:
        """End it now."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error_type is not None:
            self.fail(error_type.__name__)
        self.end()


UNRECORDED = Span()

SERVED: ContextVar[Span | None] = ContextVar("SERVED", default=None)
"""The span of the request that is being served; None where there is no request."""


class Tracer:
    """Begins spans; this one records none."""

    is_on = False

    def begin(
        self,
        name: str,
        kind: Kind,
        attributes: Attributes = NO_ATTRIBUTES,
        *,
        parent: Span | str | None = None,
        links: Sequence[str] = (),
        began: int | None = None,
    ) -> Span:
        """Begin a span, now or at `began` (`now`), below `parent` or as the first of a trace.

        `parent` is a span, or the context of one; `links` are contexts of what else it is about.
        """
        return UNRECORDED

    def begin_request(
        self, name: str, attributes: Attributes, headers: Sequence[tuple[bytes, bytes]]
    ) -> Span:
        """Begin the span of a request, in the trace that its headers name if they name one."""
        return UNRECORDED

    def now(self) -> int:
        """Return the time by which spans begin and end, in nanoseconds since 1970."""
        return 0

    def close(self, grace: float) -> None:
        """Hand over what has been recorded, within `grace` seconds. Blocks."""


OFF = Tracer()


def headers_of(context: str) -> dict[str, str]:
    """Return the headers that hand a span's context on."""
    traceparent, _, tracestate = context.partition(" ")
    return {"traceparent": traceparent} | ({"tracestate": tracestate} if tracestate else {})
