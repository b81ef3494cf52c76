"""The tracer that records: which traces it joins, who decides whether they are recorded, and what
it needs for that."""

import socket
import sys

import pytest

from each_case import for_each
from heliograph.errors import ConfigurationError
from heliograph.platform.telemetry import tracers
from heliograph.platform.telemetry.tracing import OFF, UNRECORDED, Span, Tracer, headers_of
from heliograph.settings import TracingMode
from otlp_receiver import Collector, OpenTracer

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
WANTED, UNWANTED = f"00-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-00"
EASY = f"00-{'0' * 31}1-{PARENT}-01"
"""With an id that every sampler by ratio takes."""
ON, TRUSTING = TracingMode.ON, TracingMode.TRUST_CALLERS

pytest_plugins = ("tracing_fixtures",)


def request(tracer: Tracer, traceparent: str | None = None, *more: tuple[bytes, bytes]) -> Span:
    given = [] if traceparent is None else [(b"traceparent", traceparent.encode())]
    return tracer.begin_request("GET", {}, [*given, *more])


def trace_id(span: Span) -> str | None:
    return span.trace_id


# --- off ------------------------------------------------------------------------------------------


def test_off_is_one_object_that_records_nothing() -> None:
    assert tracers.open_tracer(TracingMode.OFF, {}) is OFF
    assert OFF.begin("a", "internal", parent=WANTED) is UNRECORDED
    assert OFF.begin_request("GET", {}, [(b"traceparent", WANTED.encode())]) is UNRECORDED


@pytest.mark.parametrize("sampler", ["always_off", "traceidratio"])
def test_what_the_sampler_leaves_out_costs_no_spans_below_it(
    open_tracer: OpenTracer, sampler: str
) -> None:
    tracer = open_tracer(OTEL_TRACES_SAMPLER=sampler, OTEL_TRACES_SAMPLER_ARG="0")
    span = request(tracer)
    assert span is UNRECORDED
    assert tracer.begin("below", "internal", parent=span) is UNRECORDED


# --- callers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("traceparent", [WANTED, UNWANTED])
def test_a_callers_trace_goes_on_whatever_its_flag_says(
    open_tracer: OpenTracer, collector: Collector, traceparent: str
) -> None:
    tracer = open_tracer()
    with request(tracer, traceparent) as span:
        assert trace_id(span) == TRACE
    tracer.close(5)
    [received] = collector.spans
    assert (received.trace_id, received.parent_id) == (TRACE, PARENT)


@for_each(
    "traceparent",
    [
        "",
        "00-xyz",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01-more",
        f"00-{TRACE}-{PARENT}-01" * 1000,
    ],
)
def test_a_malformed_traceparent_is_as_none(open_tracer: OpenTracer, traceparent: str) -> None:
    found = trace_id(request(open_tracer(), traceparent))
    assert found is not None
    assert found != TRACE


def test_two_of_them_are_as_none(open_tracer: OpenTracer) -> None:
    span = request(open_tracer(), WANTED, (b"traceparent", WANTED.encode()))
    assert trace_id(span) not in (None, TRACE)


@for_each("traceparent", [WANTED, EASY])
@for_each("sampler", ["always_off", "parentbased_always_off", "traceidratio"])
def test_no_caller_has_its_trace_recorded_against_the_sampler(
    open_tracer: OpenTracer, sampler: str, traceparent: str
) -> None:
    tracer = open_tracer(OTEL_TRACES_SAMPLER=sampler, OTEL_TRACES_SAMPLER_ARG="0")
    assert request(tracer, traceparent) is UNRECORDED


def test_the_ratio_does_not_depend_on_the_id_that_a_caller_has_chosen(
    open_tracer: OpenTracer,
) -> None:
    tracer = open_tracer(
        OTEL_TRACES_SAMPLER="parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG="0.5"
    )
    recorded = sum(request(tracer, EASY) is not UNRECORDED for _ in range(400))
    assert 100 < recorded < 300  # by chance outside of it once in 10^23 runs


def test_trusted_callers_decide_where_the_sampler_goes_by_parents(open_tracer: OpenTracer) -> None:
    asked = open_tracer(TRUSTING, OTEL_TRACES_SAMPLER="parentbased_always_off")
    assert trace_id(request(asked, WANTED)) == TRACE
    assert request(asked, UNWANTED) is UNRECORDED
    assert request(asked) is UNRECORDED


def test_the_log_does_not_repeat_what_a_caller_sent(
    open_tracer: OpenTracer, caplog: pytest.LogCaptureFixture
) -> None:
    request(open_tracer(), WANTED, (b"tracestate", b"!=of the caller"))
    request(open_tracer(), f"00-{TRACE}-{PARENT}-01" * 1000)
    assert "of the caller" not in caplog.text
    assert not caplog.records


def test_a_tracestate_is_handed_on_unless_it_is_too_long(open_tracer: OpenTracer) -> None:
    tracer = open_tracer()
    short = request(tracer, WANTED, (b"tracestate", b"vendor=1"), (b"tracestate", b"other=2"))
    long = request(tracer, WANTED, (b"tracestate", b"vendor=" + b"x" * 512))
    assert short.context is not None
    assert headers_of(short.context)["tracestate"] == "vendor=1,other=2"
    assert long.context is not None
    assert headers_of(long.context).keys() == {"traceparent"}


# --- what is stored -------------------------------------------------------------------------------


def test_a_trace_goes_on_in_another_process_from_its_context(
    open_tracer: OpenTracer, collector: Collector
) -> None:
    here, there = open_tracer(), open_tracer(OTEL_TRACES_SAMPLER="always_off")
    with request(here, UNWANTED, (b"tracestate", b"vendor=1")) as first:
        pass
    with there.begin("later", "client", parent=first.context, links=[WANTED]) as second:
        second.annotate({"heliograph.attempt": 2})
        second.fail("refused")
    here.close(5)
    there.close(5)
    [request_span], [later] = collector.named("GET"), collector.named("later")
    assert (later.trace_id, later.parent_id) == (TRACE, request_span.span_id)
    assert later.links == [(TRACE, PARENT)]
    assert later.attributes == {"heliograph.attempt": 2, "error.type": "refused"}
    assert later.has_failed
    assert later.trace_state == "vendor=1"


def test_an_exception_fails_its_span(open_tracer: OpenTracer, collector: Collector) -> None:
    tracer = open_tracer()
    with pytest.raises(LookupError), tracer.begin("a", "internal"):
        raise LookupError
    tracer.close(5)
    [span] = collector.spans
    assert span.has_failed
    assert span.attributes["error.type"] == "LookupError"


# --- configuration --------------------------------------------------------------------------------


def test_the_environment_names_the_service(open_tracer: OpenTracer, collector: Collector) -> None:
    tracer = open_tracer(
        OTEL_SERVICE_NAME="chat", OTEL_RESOURCE_ATTRIBUTES="service.instance.id=seven"
    )
    request(tracer).end()
    tracer.close(5)
    [span] = collector.spans
    assert (span.service, span.node) == ("chat", "seven")


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "heliograph.platform.telemetry.otlp_tracing", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'heliograph\[tracing\]'"):
        tracers.open_tracer(ON, {})


def test_a_protocol_that_is_not_spoken_is_refused(open_tracer: OpenTracer) -> None:
    with pytest.raises(ConfigurationError, match="OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'"):
        open_tracer(OTEL_EXPORTER_OTLP_PROTOCOL="grpc")


@pytest.mark.timeout(20)  # the SDK itself would wait for 30 s
def test_a_collector_that_says_nothing_does_not_hold_up_the_end(open_tracer: OpenTracer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        tracer = open_tracer(OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, OTEL_EXPORTER_OTLP_TIMEOUT="100")
        request(tracer).end()
        tracer.close(0.1)
