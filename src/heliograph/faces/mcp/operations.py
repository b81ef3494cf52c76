"""Tools that are operations of the API: they take its values, call its handler, give its answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_type_hints

import mcp_types as protocol
from fastapi import Request, Response
from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from heliograph.faces.api.app import list_operations
from heliograph.faces.api.authentication import PRINCIPAL
from heliograph.faces.api.dependencies import Once
from heliograph.faces.api.routes import GatewayRoute
from heliograph.faces.mcp.tool import CallContext, Repeatable, Tool, ToolInput, ToolSet

PAGE = 20
"""Entries on a page if a model does not say how many: each takes up its context."""

Endpoint = Callable[..., Awaitable[Response]]
_NOT_ASKED = ("request", "principal", "services", "body", "once")
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ToolOperation:
    """`renamed` maps parameters to the tool's own names for them; `fixed` has the values that the
    tool does not ask for."""

    route: GatewayRoute
    renamed: Mapping[str, str]
    fixed: Mapping[str, Any]

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        return signature(self.route.endpoint).parameters

    @property
    def asked(self) -> list[str]:
        """The parameters that are arguments of the tool."""
        return [each for each in self.parameters if each not in (*_NOT_ASKED, *self.fixed)]

    async def __call__(self, call: CallContext, given: ToolInput) -> Response:
        values = {each: getattr(given, self.renamed.get(each, each)) for each in self.asked}
        request, name = self._request(call, values), getattr(given, "idempotency_key", None)
        known = {
            "request": request,
            "principal": call.principal,
            "services": call.services,
            "body": given,
            "once": Once(request, call.services, name),
            **values,
            **self.fixed,
        }
        taken = {each: known[each] for each in self.parameters}
        answer: Response = await self.route.endpoint(**taken)
        return answer

    def _request(self, call: CallContext, values: Mapping[str, Any]) -> Request:
        """Return the request that this call stands for, as an idempotency key belongs to one."""
        method = "".join(self.route.methods or ())
        path = self.route.path.format(**values)
        return Request({"type": "http", "method": method, "path": path, PRINCIPAL: call.principal})

    def make_input(self, narrower: Mapping[str, Any]) -> type[ToolInput]:
        """Make the tool's input of the operation's parameters and body.

        `narrower` has the types of parameters for which the API takes any text, and members of the
        body that the API requires and that have a default here.
        """
        hints = get_type_hints(self.route.endpoint, include_extras=True)
        arguments: dict[str, Any] = {
            self.renamed.get(each, each): self._field(each, hints[each], narrower.get(each))
            for each in self.asked
        }
        members = {each: field for each, field in narrower.items() if each not in self.asked}
        base = Repeatable if "once" in self.parameters else ToolInput
        has_body = "body" in self.parameters and "body" not in self.fixed
        return create_model(
            str(self.route.operation_id),
            __base__=(hints["body"], base) if has_body else base,
            **arguments | members,
        )

    def _field(self, name: str, hint: Any, narrower: Any) -> tuple[Any, Any]:
        default = PAGE if name == "limit" else self.parameters[name].default
        if narrower is not None:
            hint = Annotated[narrower | None, Field(description=_description(hint))]
        return hint, ... if default is Parameter.empty else default


def _description(hint: Any) -> str | None:
    return next((each.description for each in get_args(hint) if isinstance(each, FieldInfo)), None)


def add_operation(
    tools: ToolSet,
    annotations: protocol.ToolAnnotations,
    title: str,
    endpoint: Endpoint,
    description: str,
    *,
    name: str = "",
    renamed: Mapping[str, str] = _NONE,
    fixed: Mapping[str, Any] = _NONE,
    **narrower: Any,
) -> None:
    """Make a tool of an operation: its handler, scope and record are the API's."""
    [route] = [each for each in list_operations() if each.endpoint is endpoint]
    operation = ToolOperation(route, renamed, fixed)
    output: type[BaseModel] | None = route.response_model
    if output is None:
        raise TypeError(f"{endpoint.__name__} answers no record: write its tool with `ToolSet.add`")
    tools.tools.append(
        Tool(
            name=name or endpoint.__name__,
            title=title,
            description=description,
            scopes=(route.required_scope,),
            input=operation.make_input(narrower),
            output=output,
            annotations=annotations,
            handler=operation,
        )
    )
