"""The choice of a tracer: one that records nothing, or one whose libraries are an extra."""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from heliograph.errors import ConfigurationError
from heliograph.platform.extras import how_to_install
from heliograph.platform.telemetry.tracing import OFF, Tracer
from heliograph.settings import TracingMode


def open_tracer(mode: TracingMode, resource: Mapping[str, str]) -> Tracer:
    """Return the tracer that the settings ask for. `resource` has the attributes of this process.

    Raises `ConfigurationError` if its libraries are missing, or can't do what the `OTEL_…`
    variables ask for.
    """
    if mode is TracingMode.OFF:
        return OFF
    try:
        module = import_module("heliograph.platform.telemetry.otlp_tracing")
    except ImportError as error:
        raise ConfigurationError(
            f"Tracing needs libraries that are not installed: {error}.",
            remedy=f"Install them: {how_to_install('tracing')}. Or unset HELIOGRAPH_TRACING.",
            setting="HELIOGRAPH_TRACING",
        ) from None
    trusts_callers = mode is TracingMode.TRUST_CALLERS
    return cast(Tracer, module.OtlpTracer(resource, trusts_callers=trusts_callers))
