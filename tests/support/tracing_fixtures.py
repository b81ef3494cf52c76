"""The fixtures `collector` and `open_tracer`: `pytest_plugins = ("tracing_fixtures",)`."""

from collections.abc import Iterator

import pytest

from heliograph.platform.telemetry import tracers
from heliograph.platform.telemetry.tracing import Tracer
from heliograph.settings import TracingMode
from otlp_receiver import Collector, OpenTracer, collecting

RESOURCE = {"service.name": "heliograph", "service.instance.id": "n"}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture
def open_tracer(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenTracer]:
    """Opens tracers with these variables, and closes them."""
    opened: list[Tracer] = []

    def open_one(mode: TracingMode = TracingMode.ON, **variables: str) -> Tracer:
        for name, value in (collector.environment | variables).items():
            monkeypatch.setenv(name, value)
        opened.append(tracers.open_tracer(mode, RESOURCE))
        return opened[-1]

    yield open_one
    for tracer in opened:
        tracer.close(0.1)
