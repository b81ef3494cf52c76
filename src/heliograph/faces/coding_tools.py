"""How to connect AI coding tools to the tool server: a command or a few lines for each common one.

The key is never written into a file of a project: it is in the environment, or the tool asks for
it. The formats are those of the tools' documentation of November 2026.
"""

import json
from dataclasses import dataclass
from typing import Any

from heliograph.settings import API_KEY_VARIABLE

PATH = "/mcp"
HEADER = "service-api-key"
VARIABLE = API_KEY_VARIABLE


@dataclass(frozen=True, slots=True)
class CodingTool:
    """`place` is the file that `text` goes into, or None for a command in a terminal."""

    name: str
    place: str | None
    text: str


def claude_code_command(base_url: str, key: str) -> str:
    """Return the command that adds the tool server; `key` is the key or how a shell finds it."""
    return (
        f"claude mcp add --transport http heliograph {base_url}{PATH} \\\n"
        f'  --header "{HEADER}: {key}"'
    )


def list_coding_tools(base_url: str) -> list[CodingTool]:
    """List what to do for each tool, for the gateway at this address."""
    url = f"{base_url}{PATH}"
    return [
        CodingTool("Claude Code", None, claude_code_command(base_url, f"${VARIABLE}")),
        CodingTool("Codex", "~/.codex/config.toml", _codex(url)),
        CodingTool("Cursor", ".cursor/mcp.json", _json(_cursor(url))),
        CodingTool("Gemini CLI", ".gemini/settings.json", _json(_gemini(url))),
        CodingTool("VS Code", ".vscode/mcp.json", _json(_vs_code(url))),
    ]


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2)


def _codex(url: str) -> str:
    return (
        "[mcp_servers.heliograph]\n"
        f'url = "{url}"\n'
        f'env_http_headers = {{ "{HEADER}" = "{VARIABLE}" }}'
    )


def _cursor(url: str) -> dict[str, Any]:
    headers = {HEADER: f"${{env:{VARIABLE}}}"}
    return {"mcpServers": {"heliograph": {"url": url, "headers": headers}}}


def _gemini(url: str) -> dict[str, Any]:
    headers = {HEADER: f"${VARIABLE}"}
    return {"mcpServers": {"heliograph": {"httpUrl": url, "headers": headers}}}


def _vs_code(url: str) -> dict[str, Any]:
    headers = {HEADER: "${input:heliograph-key}"}
    asked = {
        "type": "promptString",
        "id": "heliograph-key",
        "description": "Heliograph API key",
        "password": True,
    }
    return {
        "inputs": [asked],
        "servers": {"heliograph": {"type": "http", "url": url, "headers": headers}},
    }
