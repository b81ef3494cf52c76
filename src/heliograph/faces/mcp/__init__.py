"""The tool server (MCP) at `/mcp`: AI coding tools use the gateway.

    request ─▶ authentication ─────────▶ protocol (the SDK) ─▶ tool ─▶ service
               address, key, scope,                            input, result,
               rate: HTTP errors                               error: the protocol's

It is stateless: every request stands for itself, so any node answers it. Most tools are operations
of the API reached another way: the same handlers, bodies and records, the same keys, scopes and
limits.
"""
