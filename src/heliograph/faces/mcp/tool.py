"""What a tool is: its name, input, output and scopes, and the function that does the work."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc, signature
from typing import Any

import mcp_types as protocol
from pydantic import BaseModel, ConfigDict, Field

from heliograph.core.idempotency.service import IdempotencyKey, fingerprint
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import IdempotencyName
from heliograph.faces.mcp.input_schemas import describe_input
from heliograph.faces.mcp.untrusted_pointers import list_untrusted


class ToolInput(BaseModel):
    """The input of a tool. An unknown name is an error, as a model must have mistyped it."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls, and the services to do it with.

    `authenticate` checks the key again; it raises `UnauthorizedError` once it is no longer valid.
    """

    services: Services
    principal: Principal
    authenticate: Callable[[], Awaitable[Principal]] = field(repr=False)


Handler = Callable[[CallContext, Any], Awaitable[object]]

READ_ONLY = protocol.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""Reads from the gateway, and changes nothing."""
READ_ONLY_OPEN_WORLD = READ_ONLY.model_copy(update={"open_world_hint": True})
"""Reads, possibly from the chat network."""
WRITE = protocol.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)
"""Does something outside, again with each call; destroys nothing."""
IDEMPOTENT_WRITE = protocol.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
"""Does something that a second call finds done."""
DESTRUCTIVE_WRITE = IDEMPOTENT_WRITE.model_copy(update={"destructive_hint": True})
"""The same, but destroys what was there before: clients ask a person first."""


@dataclass(frozen=True)
class Tool:
    """`scopes` are all required; `output` is the API's record that the tool answers with."""

    name: str
    title: str
    description: str
    scopes: tuple[str, ...]
    input: type[BaseModel]
    output: type[BaseModel]
    annotations: protocol.ToolAnnotations
    handler: Handler

    @cached_property
    def untrusted(self) -> tuple[str, ...]:
        """The paths to texts in the output that strangers wrote."""
        return tuple(list_untrusted(self.output))

    def describe(self) -> protocol.Tool:
        """Return the tool as clients see it in `tools/list`."""
        return protocol.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=describe_input(self.input),
            annotations=self.annotations,
        )


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The tools of one noun, in the order in which they are defined."""

    tools: list[Tool] = field(default_factory=list)

    def add(
        self,
        annotations: protocol.ToolAnnotations,
        title: str,
        *scopes: str,
        output: type[BaseModel],
        also: str = "",
    ) -> Callable[[Handler], Handler]:
        """Make a tool of a function `(call, input)`, with its name, and as description its
        docstring with what it says `also`."""

        def register(handler: Handler) -> Handler:
            description = " ".join(f"{getdoc(handler) or ''} {also}".split())
            tool = Tool(
                name=handler.__name__,
                title=title,
                description=description,
                scopes=scopes,
                input=list(signature(handler).parameters.values())[1].annotation,
                output=output,
                annotations=annotations,
                handler=handler,
            )
            self.tools.append(tool)
            return handler

        return register

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)


class Repeatable(ToolInput):
    """The input of a tool that can be repeated without doing the thing twice."""

    idempotency_key: IdempotencyName | None = Field(
        default=None,
        exclude=True,  # not a part of the request itself
        description="Your name for this call: a repeat within 24 hours gets the first answer, and "
        "nothing is done twice.",
    )

    def make_key(self, principal: Principal, tool: str) -> IdempotencyKey | None:
        """Return the key with the call's fingerprint, made of what the caller may do, the tool's
        name and its input."""
        if self.idempotency_key is None:
            return None
        asked_for = fingerprint(principal, tool, self.model_dump_json())
        return IdempotencyKey(self.idempotency_key, asked_for)
