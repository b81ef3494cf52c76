"""A collector: an HTTP server in a thread that keeps the spans it is sent (OTLP over HTTP)."""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from heliograph.platform.telemetry.tracing import Tracer

OpenTracer = Callable[..., Tracer]
"""The fixture `open_tracer`."""

_KINDS = {
    Span.SPAN_KIND_INTERNAL: "internal",
    Span.SPAN_KIND_SERVER: "server",
    Span.SPAN_KIND_CLIENT: "client",
    Span.SPAN_KIND_PRODUCER: "producer",
    Span.SPAN_KIND_CONSUMER: "consumer",
}


@dataclass(frozen=True)
class ReceivedSpan:
    """Ids are in hexadecimal, times in nanoseconds since 1970; `node` is who recorded it."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: str
    attributes: dict[str, str | int | bool]
    links: list[tuple[str, str]]
    began: int
    ended: int
    has_failed: bool
    trace_state: str
    node: str
    service: str


@dataclass
class Collector:
    port: int = 0
    raw: list[bytes] = field(default_factory=list)
    spans: list[ReceivedSpan] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What a gateway is told to send its spans here, and soon."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }

    def trace(self, trace_id: str) -> list[ReceivedSpan]:
        """The spans of a trace so far, by their begin."""
        found = [span for span in list(self.spans) if span.trace_id == trace_id]
        return sorted(found, key=lambda span: (span.began, -span.ended))

    def named(self, name: str) -> list[ReceivedSpan]:
        return [span for span in list(self.spans) if span.name == name]

    def take(self, body: bytes) -> None:
        self.raw.append(body)
        for resource_spans in ExportTraceServiceRequest.FromString(body).resource_spans:
            process = _values(resource_spans.resource.attributes)
            for scope_spans in resource_spans.scope_spans:
                self.spans.extend(_read(span, process) for span in scope_spans.spans)


def _read(span: Span, process: dict[str, str | int | bool]) -> ReceivedSpan:
    return ReceivedSpan(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        name=span.name,
        kind=_KINDS[span.kind],
        attributes=_values(span.attributes),
        links=[(link.trace_id.hex(), link.span_id.hex()) for link in span.links],
        began=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        has_failed=span.status.code == Status.STATUS_CODE_ERROR,
        trace_state=span.trace_state,
        node=str(process["service.instance.id"]),
        service=str(process["service.name"]),
    )


def _values(pairs: Iterable[KeyValue]) -> dict[str, str | int | bool]:
    return {pair.key: getattr(pair.value, str(pair.value.WhichOneof("value"))) for pair in pairs}


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on a free port of loopback."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces"
            collector.take(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
