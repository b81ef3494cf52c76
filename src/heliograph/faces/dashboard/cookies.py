"""Cookies: their names and how far they go.

On https the prefix `__Host-` makes the browser refuse to send them anywhere else (RFC 6265bis,
4.1.3.2), which asks for `Secure`. On loopback http there is neither; on any other http there is no
cookie at all, and nobody signs in.
"""

import re
from dataclasses import dataclass
from typing import Self

from starlette.requests import Request
from starlette.responses import Response

from heliograph.settings import is_loopback_url


@dataclass(frozen=True, slots=True)
class Cookie:
    """`lifetime` is in seconds, None as long as the browser runs."""

    name: str
    is_secure: bool
    lifetime: int | None = None

    def read(self, request: Request) -> str | None:
        """The value as it came. Python's own parser takes seconds for a long one full of
        backslashes (CVE-2024-7592), and ours have neither quotes nor escapes."""
        wanted = re.compile(rf"(?:^|;) ?{re.escape(self.name)}=([^;]*)")
        found = (wanted.search(header) for header in request.headers.getlist("cookie"))
        return next((each[1] for each in found if each is not None), None)

    def write(self, response: Response, value: str) -> None:
        response.set_cookie(
            self.name,
            value,
            max_age=self.lifetime,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="lax",
        )

    def clear(self, response: Response) -> None:
        response.delete_cookie(
            self.name, path="/", secure=self.is_secure, httponly=True, samesite="lax"
        )


@dataclass(frozen=True, slots=True)
class Cookies:
    """The session, and a sign-in that is under way."""

    session: Cookie
    sign_in: Cookie

    @classmethod
    def find(cls, public_url: str, *, session: int, sign_in: int) -> Self | None:
        """Those that fit the gateway's address, with lifetimes in seconds; None where there are
        none."""
        if public_url.startswith("https://"):
            name, is_secure = "__Host-heliograph", True
        elif is_loopback_url(public_url):
            name, is_secure = "heliograph_loopback", False
        else:
            return None
        return cls(Cookie(name, is_secure, session), Cookie(f"{name}_sign_in", is_secure, sign_in))
