"""Sessions of people who have signed in: cookies, the user they stand for, and checks of forms.

On https the prefix `__Host-` makes the browser refuse to send a cookie anywhere else (RFC 6265bis,
4.1.3.2), which requires `Secure`. Http on loopback uses neither. On any other http there is no
cookie at all, and nobody signs in.

Each form carries a token that is derived from the session and that no other site has. What the
browser says about a request's origin (`Sec-Fetch-Site`, else `Origin`) is checked first.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from heliograph.core.members.model import User
from heliograph.core.members.sessions import MAX_AGE
from heliograph.core.services import Services
from heliograph.faces.address_limits import client_host
from heliograph.faces.dashboard.sessions.attempts import SIGN_IN_LIFETIME
from heliograph.settings import is_loopback_url

FIELD = "csrf_token"
HEADER = "x-csrf-token"


@dataclass(frozen=True, slots=True)
class Cookie:
    """`lifetime` is in seconds."""

    name: str
    is_secure: bool
    lifetime: int

    def read(self, request: Request) -> str | None:
        """Return the cookie's value as it came."""
        # Python's parser takes seconds for a long value full of backslashes (CVE-2024-7592); our
        # values have neither quotes nor escapes
        wanted = re.compile(rf"(?:^|;) ?{re.escape(self.name)}=([^;]*)")
        found = (wanted.search(header) for header in request.headers.getlist("cookie"))
        return next((match[1] for match in found if match is not None), None)

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
    def find(cls, public_url: str) -> Self | None:
        """Return the cookies for the gateway's address; None where no cookie is safe."""
        if public_url.startswith("https://"):
            name, is_secure = "__Host-heliograph", True
        elif is_loopback_url(public_url):
            name, is_secure = "heliograph_loopback", False
        else:
            return None
        return cls(
            Cookie(name, is_secure, int(MAX_AGE.total_seconds())),
            Cookie(f"{name}_sign_in", is_secure, SIGN_IN_LIFETIME),
        )


@dataclass(frozen=True, slots=True)
class SignedIn:
    user: User
    token: str


async def find_signed_in(request: Request, services: Services) -> SignedIn | None:
    cookies = Cookies.find(services.settings.public_url)
    token = cookies.session.read(request) if cookies else None
    if not token:
        return None
    user = await services.browser_sessions.find_user(token, client_host(request.scope))
    return None if user is None else SignedIn(user, token)


def csrf_token(session_token: str) -> str:
    digest = hmac.digest(session_token.encode(), b"heliograph csrf", hashlib.sha256)
    return digest.hex()


def is_our_form(request: Request, given: object, session_token: str, public_url: str) -> bool:
    """Return whether a page of ours sent this form; `given` is the token that came with it."""
    return (
        _is_same_site(request, public_url)
        and isinstance(given, str)
        and hmac.compare_digest(given.encode(), csrf_token(session_token).encode())
    )


def _is_same_site(request: Request, public_url: str) -> bool:
    """Return whether the browser says that a page of ours sent the request, or says nothing."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin)[:2] == urlsplit(public_url)[:2]
