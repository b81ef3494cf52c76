"""Resources that a model can read: the API's description, events, errors, signature verification.

They are pages of the documentation, so that each text exists once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import mcp_types as protocol
from fastapi.routing import APIRoute

from heliograph.faces.api.app import list_operations
from heliograph.faces.mcp.api_index import INDEX, describe_parts, uri_of

_PAGES = files("heliograph.faces.mcp") / "pages"
_MARKDOWN, _JSON = "text/markdown", "application/json"
LANGUAGES = {"python": "Python", "javascript": "JavaScript", "go": "Go"}
_MEDIA_TYPES = {"python": "text/x-python", "javascript": "text/javascript", "go": "text/x-go"}


@dataclass(frozen=True, slots=True)
class Resource:
    """One text; `read` returns it for the gateway's public URL."""

    uri: str
    title: str
    description: str
    media_type: str
    read: Callable[[str], str]

    def describe(self) -> protocol.Resource:
        return protocol.Resource(
            uri=self.uri,
            name=self.uri.removeprefix("heliograph://"),
            title=self.title,
            description=self.description,
            mime_type=self.media_type,
        )

    def contents(self, public_url: str) -> protocol.TextResourceContents:
        return protocol.TextResourceContents(
            uri=self.uri, mime_type=self.media_type, text=self.read(public_url)
        )


@cache
def read_page(name: str) -> str:
    """Read a page of the documentation, in Markdown."""
    return (_PAGES / f"{name}.md").read_text("utf-8")


def verification(language: str) -> str:
    """Return the function from the page about webhooks that verifies a signature."""
    found = re.search(
        rf"^```{language}\n(.*?)^```$", read_page("webhooks"), re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise LookupError(f"the page on webhooks has no {language}")
    return found[1]


def _page(name: str, title: str, description: str) -> Resource:
    return Resource(
        f"heliograph://docs/{name}", title, description, _MARKDOWN, lambda _: read_page(name)
    )


def _operation(route: APIRoute) -> Resource:
    name = str(route.operation_id)
    uri = uri_of(name)
    return Resource(
        uri,
        f"{route.name.replace('_', ' ').title()} ({name})",
        f"The OpenAPI description of {', '.join(route.methods or ())} {route.path}.",
        _JSON,
        lambda public_url: describe_parts(public_url)[uri],
    )


def _snippet(language: str, title: str) -> Resource:
    return Resource(
        f"heliograph://verify/{language}",
        f"Verify a signature in {title}",
        f"A function in {title} that checks whether a webhook request came from this gateway.",
        _MEDIA_TYPES[language],
        lambda _: verification(language),
    )


@cache
def list_resources() -> dict[str, Resource]:
    """List all resources by their URIs."""
    listed = (
        Resource(
            INDEX,
            "Index of the HTTP API",
            "Every operation of the HTTP API with its path, scope and the resource that describes "
            "it.",
            _JSON,
            lambda public_url: describe_parts(public_url)[INDEX],
        ),
        _page("events", "Events", "Every webhook event, with an example of its payload."),
        _page("errors", "Errors", "Every error code of the API, and what to do about it."),
        _page("webhooks", "Webhooks", "Headers, signature, retries, redelivery, disabling."),
        *(_snippet(language, title) for language, title in LANGUAGES.items()),
        *(_operation(route) for route in list_operations()),
    )
    return {resource.uri: resource for resource in listed}
