"""The protocol's official clients for JavaScript, each in a process of node's own."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from node_packages import need_packages

SDKS = ("v1", "v2")
_LONGEST_LINE = 16 * 1024 * 1024
_PATIENCE = 60.0


@dataclass(frozen=True)
class NodeClient:
    """A connected client; `ask` calls its method of that name."""

    process: asyncio.subprocess.Process

    async def ask(self, method: str, **params: Any) -> Any:
        """The method's result. Raises `NodeClientError` for what it throws."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = json.dumps({"method": method, "params": params})
        self.process.stdin.write(f"{line}\n".encode())
        outcome = await asyncio.wait_for(self.process.stdout.readline(), _PATIENCE)
        found = json.loads(outcome)
        if "error" in found:
            raise NodeClientError(found["error"]["message"], found["error"].get("data"))
        return found["result"]

    async def call(self, tool: str, given: dict[str, Any]) -> Any:
        return await self.ask("callTool", name=tool, arguments=given)


class NodeClientError(Exception):
    """The text that the client's user would see, and the protocol's data."""

    def __init__(self, text: str, data: Any) -> None:
        self.data = data
        super().__init__(text)


@asynccontextmanager
async def node_client(sdk: str, url: str, key: str) -> AsyncIterator[NodeClient]:
    """A client of the SDK `v1` or `v2` that is connected when it is first asked."""
    process = await asyncio.create_subprocess_exec(
        "node",
        str(need_packages("mcp-clients") / "client.mjs"),
        sdk,
        url,
        env={**os.environ, "HELIOGRAPH_API_KEY": key},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
    )
    try:
        yield NodeClient(process)
    finally:
        process.kill()
        await process.wait()
