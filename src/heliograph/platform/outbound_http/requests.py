"""A request as it is sent (RFC 9112)."""

from collections.abc import Mapping

from heliograph import __version__
from heliograph.platform.outbound_http.targets import Target

_USER_AGENT = f"Heliograph/{__version__}"


def encode_request(
    method: str, target: Target, headers: Mapping[str, str], body: bytes | None = None
) -> bytes:
    """Return the whole request. Raises `ValueError` for a header that would begin another line."""
    fields = {"host": target.authority, "user-agent": _USER_AGENT, "accept": "*/*"}
    if body is not None:
        fields["content-length"] = str(len(body))
    for name in headers:
        fields.pop(name.lower(), None)
    fields |= headers
    lines = "\r\n".join([f"{name}: {value}" for name, value in fields.items()])
    if lines.count("\n") != len(fields) - 1 or lines.count("\r") != len(fields) - 1:
        raise ValueError("a header holds the end of a line")
    head = f"{method} {target.path} HTTP/1.1\r\n{lines}\r\n\r\n".encode()
    return head if body is None else head + body
