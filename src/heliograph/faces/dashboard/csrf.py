"""Forms of ours alone: each carries a token that follows from the session, and no other site has.

The browser's own word on where a request comes from (`Sec-Fetch-Site`, else `Origin`) is asked
first.
"""

import hashlib
import hmac
from urllib.parse import urlsplit

from starlette.requests import Request

FIELD = "csrf_token"
HEADER = "x-csrf-token"


def csrf_token(session_token: str) -> str:
    digest = hmac.digest(session_token.encode(), b"heliograph csrf", hashlib.sha256)
    return digest.hex()


def is_same_site(request: Request, public_url: str) -> bool:
    """Whether the browser says that a page of ours has asked; one that says nothing may be."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin)[:2] == urlsplit(public_url)[:2]


def is_ours(given: str | None, session_token: str) -> bool:
    return hmac.compare_digest((given or "").encode(), csrf_token(session_token).encode())
