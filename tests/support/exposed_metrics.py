"""The names that a scrape of the gateway can have, and those that a PromQL expression asks for."""

import re

from heliograph.platform.telemetry.metrics import MACHINE, NODE, NodeReadings, Pool

_NAME = re.compile(r"\b(?:heliograph_\w+|up)\b")
_SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}


def exposed_names() -> set[str]:
    """The name of every sample, and `up`, which Prometheus adds to each scrape."""
    readings = NodeReadings(list, [], dict, lambda: Pool(0, 0, 0), int, bool)
    return {"up"} | {
        family.name + suffix
        for source in (NODE, MACHINE, readings)
        for family in source.collect()
        for suffix in _SUFFIXES[family.type]
    }


def named_in(expression: str) -> set[str]:
    """The metrics that a PromQL expression names, apart from the values of labels."""
    return set(_NAME.findall(re.sub(r'"[^"]*"', "", expression)))
