"""The hosted tool-protocol server (MCP) at `/mcp`: AI coding tools use the gateway.

    request ─▶ gate ─────────────▶ protocol (the SDK) ─▶ tool ─▶ service
               address, key,                             input, result,
               scope, rate: HTTP                         error: the protocol's

It is stateless: every request stands for itself, so any node answers it. Tools take the place that
routes have in the API: same services, same bodies, same keys, scopes and limits.
"""
