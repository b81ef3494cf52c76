"""All tools, in the order in which clients are told of them."""

from collections.abc import Iterable
from difflib import get_close_matches

from heliograph.faces.mcp.tool import Tool
from heliograph.faces.mcp.tools import (
    contacts,
    conversations,
    devices,
    groups,
    messages,
    phones,
    webhooks,
)

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for module in (messages, conversations, phones, webhooks, devices, groups, contacts)
    for tool in module.tools
}


def list_allowed(scopes: Iterable[str]) -> list[Tool]:
    """The tools that a key with these scopes (hierarchy applied) may call."""
    granted = set(scopes)
    return [tool for tool in TOOLS.values() if granted.issuperset(tool.scopes)]


def no_such_tool(name: str) -> str:
    """What to say of a name that no tool has."""
    near = get_close_matches(name, TOOLS, 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return f"There is no tool '{name[:100]}'.{hint} tools/list has those that this key may call."
