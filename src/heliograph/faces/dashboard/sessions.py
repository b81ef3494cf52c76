"""Who asks: the session's cookie, and the user it stands for."""

from dataclasses import dataclass

from starlette.requests import Request

from heliograph.core.members.model import User
from heliograph.core.members.sessions import LONGEST
from heliograph.core.services import Services
from heliograph.faces.dashboard.attempts import SIGN_IN_SECONDS
from heliograph.faces.dashboard.cookies import Cookies


@dataclass(frozen=True, slots=True)
class SignedIn:
    user: User
    token: str


def find_cookies(services: Services) -> Cookies | None:
    return Cookies.find(
        services.settings.public_url,
        session=int(LONGEST.total_seconds()),
        sign_in=SIGN_IN_SECONDS,
    )


async def find_signed_in(request: Request, services: Services) -> SignedIn | None:
    cookies = find_cookies(services)
    token = cookies.session.read(request) if cookies else None
    if not token:
        return None
    user = await services.browser_sessions.find_user(token)
    return None if user is None else SignedIn(user, token)
