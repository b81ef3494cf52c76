"""`heliograph openapi`: the description of the public API, without a running gateway."""

from heliograph.api.app import describe_api
from heliograph.cli.output import print_json


def openapi() -> None:
    """Print the OpenAPI document of the public API."""
    print_json(describe_api())
