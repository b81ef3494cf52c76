"""The tracer that records: spans go to an OTLP endpoint over HTTP, from a thread of their own.

Where they go, and how many there are, is said by the variables of the OpenTelemetry SDK, such as
`OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_TRACES_SAMPLER`. Loaded only where tracing is on.
"""

import logging
import os
import time
from collections.abc import Mapping, Sequence
from threading import Thread

from opentelemetry import trace
from opentelemetry.context import Context, get_value, set_value
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanContext, SpanKind, StatusCode, TraceFlags, TraceState
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import Attributes as AnyAttributes

from heliograph import __version__
from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry.tracing import (
    NO_ATTRIBUTES,
    UNRECORDED,
    Attributes,
    Kind,
    Span,
    Tracer,
)

# It warns of each malformed header, and quotes what a stranger sent.
logging.getLogger("opentelemetry.trace").setLevel(logging.ERROR)

MAX_TRACESTATE = 512
"""Characters of a caller's `tracestate` that are passed on (W3C Trace Context, 3.3.1.5); a longer
one is dropped whole."""

_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_CALLER = "heliograph-caller"
"""Marks a context that a request came with."""
_NOTHING = Context()
_KINDS: Mapping[Kind, SpanKind] = {
    "server": SpanKind.SERVER,
    "client": SpanKind.CLIENT,
    "producer": SpanKind.PRODUCER,
    "consumer": SpanKind.CONSUMER,
    "internal": SpanKind.INTERNAL,
}
_propagator = TraceContextTextMapPropagator()


class OwnDecisions(Sampler):
    """Lets the operator's sampler decide on each trace once, where it begins in this gateway.

    What belongs to a trace that is recorded here is recorded. A caller chooses its trace's id and
    flag, and so must not decide by them: unless callers are trusted, the sampler is asked as for a
    trace without a parent and with another id.
    """

    def __init__(self, operators: Sampler, *, trusts_callers: bool) -> None:
        self._operators = operators
        self._trusts_callers = trusts_callers
        self._new_id = RandomIdGenerator().generate_trace_id

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: AnyAttributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        parent = trace.get_current_span(parent_context).get_span_context()
        what = (name, kind, attributes, links)
        if not parent.is_valid:
            return self._operators.should_sample(_NOTHING, trace_id, *what)
        if not get_value(_CALLER, parent_context):
            is_sampled = parent.trace_flags.sampled
            decision = Decision.RECORD_AND_SAMPLE if is_sampled else Decision.DROP
            return SamplingResult(decision, attributes, parent.trace_state)
        if self._trusts_callers:
            return self._operators.should_sample(parent_context, trace_id, *what)
        decided = self._operators.should_sample(_NOTHING, self._new_id(), *what)
        return SamplingResult(decided.decision, decided.attributes, parent.trace_state)

    def get_description(self) -> str:
        return f"OwnDecisions({self._operators.get_description()})"


class _Recorded(Span):
    """A span that is recorded."""

    __slots__ = ("span",)

    def __init__(self, span: trace.Span) -> None:
        super().__init__(_text_of(span.get_span_context()))
        self.span = span

    def annotate(self, attributes: Attributes) -> None:
        self.span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        self.span.update_name(name)

    def fail(self, error: str) -> None:
        self.span.set_status(StatusCode.ERROR)
        self.span.set_attribute("error.type", error)

    def end(self) -> None:
        self.span.end()


class OtlpTracer(Tracer):
    """Records spans and exports them. `resource` describes this process, where the environment does
    not say otherwise. Raises `ConfigurationError`."""

    is_on = True

    def __init__(self, resource: Mapping[str, str], *, trusts_callers: bool = False) -> None:
        _require_http()
        try:
            operators = TracerProvider(shutdown_on_exit=False).sampler
            exporter = OTLPSpanExporter()
        except ValueError as error:  # of a variable that it can't read
            raise ConfigurationError(f"Tracing can't be set up: {error}.") from error
        self._provider = TracerProvider(
            sampler=OwnDecisions(operators, trusts_callers=trusts_callers),
            resource=_resource(resource),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("heliograph", __version__)

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
        if isinstance(parent, Span) and not isinstance(parent, _Recorded):
            return UNRECORDED
        return self._start(
            name, kind, attributes, _below(parent), [Link(_parse(link)) for link in links], began
        )

    def begin_request(
        self, name: str, attributes: Attributes, headers: Sequence[tuple[bytes, bytes]]
    ) -> Span:
        return self._start(name, "server", attributes, _caller_of(headers))

    def _start(
        self,
        name: str,
        kind: Kind,
        attributes: Attributes,
        context: Context,
        links: Sequence[Link] = (),
        began: int | None = None,
    ) -> Span:
        span = self._tracer.start_span(
            name, context, _KINDS[kind], attributes, links=links, start_time=began
        )
        return _Recorded(span) if span.is_recording() else UNRECORDED

    def now(self) -> int:
        return time.time_ns()

    def close(self, grace: float) -> None:
        # The SDK waits for its exporter for up to 30 s.
        closing = Thread(target=self._provider.shutdown, name="tracing", daemon=True)
        closing.start()
        closing.join(grace)


def _require_http() -> None:
    for name in _PROTOCOLS:
        protocol = os.environ.get(name, "")
        if protocol not in ("", "http/protobuf"):
            raise ConfigurationError(
                f"{name} is {protocol!r}, and traces are sent by http/protobuf alone.",
                remedy="Unset it, and give the collector's HTTP port, which is usually 4318, in "
                "OTEL_EXPORTER_OTLP_ENDPOINT.",
                setting=name,
            )


def _resource(ours: Mapping[str, str]) -> Resource:
    said = OTELResourceDetector().detect().attributes
    return Resource.create({name: ours[name] for name in ours.keys() - said.keys()})


def _text_of(context: SpanContext) -> str:
    flags = int(context.trace_flags)
    traceparent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{flags:02x}"
    state = context.trace_state.to_header() if context.trace_state else ""
    return f"{traceparent} {state}" if state else traceparent


def _parse(context: str) -> SpanContext:
    """Read what `_text_of` has written."""
    traceparent, _, state = context.partition(" ")
    _, trace_id, span_id, flags = traceparent.split("-")
    return SpanContext(
        int(trace_id, 16),
        int(span_id, 16),
        is_remote=True,
        trace_flags=TraceFlags(int(flags, 16)),
        trace_state=TraceState.from_header([state]) if state else None,
    )


def _below(parent: Span | str | None) -> Context:
    if parent is None:
        return _NOTHING
    if isinstance(parent, _Recorded):
        return trace.set_span_in_context(parent.span, _NOTHING)
    remote = trace.NonRecordingSpan(_parse(str(parent)))
    return trace.set_span_in_context(remote, _NOTHING)


def _caller_of(headers: Sequence[tuple[bytes, bytes]]) -> Context:
    """Return the context that a request came with; an empty one for none, or a malformed one."""
    parents = [value for name, value in headers if name == b"traceparent"]
    if len(parents) != 1:
        return _NOTHING
    state = ",".join(value.decode("latin-1") for name, value in headers if name == b"tracestate")
    carrier = {"traceparent": parents[0].decode("latin-1")}
    if state and len(state) <= MAX_TRACESTATE:
        carrier["tracestate"] = state
    return set_value(_CALLER, True, _propagator.extract(carrier, _NOTHING))
