"""Somebody who is signed in to the dashboard, without a browser."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.gateway import Customer, Gateway
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import operator
from heliograph.faces.dashboard.sessions.cookies import Cookies
from heliograph.platform.oidc.claims import Identity


@dataclass(frozen=True, slots=True)
class Visitor:
    """A member of this customer, and the cookie of their session."""

    customer: Customer
    cookie: str

    def get(self, path: str) -> bytes:
        host = urlsplit(self.customer.client.base_url).netloc
        organization = self.customer.tenant.organization_id
        address = f"/dashboard/{organization}/{path}".removesuffix("/")
        return f"GET {address} HTTP/1.1\r\nhost: {host}\r\ncookie: {self.cookie}\r\n\r\n".encode()


async def sign_in(gateway: Gateway, customer: Customer, name: str = "ada") -> Visitor:
    """Sign in an owner of this customer."""
    email = f"{name}@example.com"
    async with gateway.services() as services:
        identity = Identity("https://login.example.com", name, email, name)
        user, token = await services.browser_sessions.begin(identity)
        principal = operator(customer.tenant)
        invited = await services.members.invite(principal, email, MemberRole.OWNER)
        await services.members.accept(user, invited)
    cookies = Cookies.find(gateway.base_url)
    assert cookies is not None
    return Visitor(customer, f"{cookies.session.name}={token}")
