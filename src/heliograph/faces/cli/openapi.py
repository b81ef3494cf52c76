"""`heliograph openapi`: the description of the public API, without a running gateway."""

from heliograph.faces.cli.output import print_json
from heliograph.settings import load_settings


def openapi() -> None:
    """Print the OpenAPI document of the public API."""
    from heliograph.faces.api.app import describe_api  # the whole API, as for a node

    print_json(describe_api(load_settings().public_url))
