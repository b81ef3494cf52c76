"""The OpenID Connect provider with which people sign in: code flow with PKCE, state and nonce.

What it must be and say is OpenID Connect Core 1.0 and Discovery 1.0; Authlib does the talking.
"""

import asyncio
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import structlog
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from joserfc.errors import JoseError

from heliograph.model.users import Identity
from heliograph.settings import SignInSettings

log = structlog.get_logger()

_SCOPES = "openid email profile"
_PATIENCE = 10.0
_LEEWAY = 60
_NAME_LENGTH = 200


class SignInError(Exception):
    """The provider said no, did not answer, or what it said can't be believed. A sentence for a
    person; what the operator needs is logged."""


class Attempt(NamedTuple):
    """A sign-in under way: what the browser has to bring back, and what only we know."""

    url: str
    state: str
    nonce: str
    verifier: str


class Provider:
    def __init__(self, settings: SignInSettings) -> None:
        self._issuer = settings.issuer or ""
        self._client_id = settings.client_id
        secret = settings.client_secret
        self._client = OAuth().register(
            "provider",
            client_id=settings.client_id,
            client_secret=None if secret is None else secret.get_secret_value(),
            server_metadata_url=self._issuer.rstrip("/") + "/.well-known/openid-configuration",
            client_kwargs={
                "scope": _SCOPES,
                "code_challenge_method": "S256",
                "timeout": _PATIENCE,
            },
        )

    @property
    def name(self) -> str:
        """What people know it by: its host."""
        return urlsplit(self._issuer).netloc

    async def begin(self, redirect_uri: str) -> Attempt:
        """Raises `SignInError` when the provider does not answer."""
        try:
            await self._check_metadata()
            made = await self._client.create_authorization_url(redirect_uri)
        except _FAILURES as error:
            raise _unreachable(error) from error
        return Attempt(made["url"], made["state"], made["nonce"], made["code_verifier"])

    async def finish(self, code: str, attempt: Attempt, redirect_uri: str) -> Identity:
        """Who has signed in. Raises `SignInError`."""
        try:
            await self._check_metadata()
            token = await self._client.fetch_access_token(
                code=code, redirect_uri=redirect_uri, code_verifier=attempt.verifier
            )
            claims = await self._client.parse_id_token(
                token, nonce=attempt.nonce, claims_options=self._claims_options(), leeway=_LEEWAY
            )
            if claims is None:
                raise SignInError("The provider did not say who you are.")
            return _identity(self._issuer, await self._complete(dict(claims), token))
        except _FAILURES as error:
            raise _unreachable(error) from error

    def _claims_options(self) -> dict[str, Any]:
        return {
            "iss": {"essential": True, "value": self._issuer},
            "aud": {"essential": True, "value": self._client_id},
        }

    async def _complete(self, claims: dict[str, Any], token: dict[str, Any]) -> dict[str, Any]:
        """With what the provider tells only when asked with the token."""
        metadata = await self._client.load_server_metadata()
        if "email" in claims or not metadata.get("userinfo_endpoint"):
            return claims
        more = dict(await self._client.userinfo(token=token))
        return {**more, **claims} if more.get("sub") == claims["sub"] else claims

    async def _check_metadata(self) -> None:
        metadata = await self._client.load_server_metadata()
        if metadata.get("issuer") != self._issuer:
            log.error(
                "the sign-in provider names another issuer than HELIOGRAPH_OIDC_ISSUER",
                issuer=metadata.get("issuer"),
            )
            raise SignInError("The sign-in provider is not the one that is set up.")


_FAILURES = (httpx2.HTTPError, AuthlibBaseError, JoseError, asyncio.TimeoutError, KeyError)


def _unreachable(error: Exception) -> SignInError:
    log.warning("sign-in failed at the provider", error=repr(error))
    return SignInError("Signing in did not work at the provider. Try again.")


def _identity(issuer: str, claims: dict[str, Any]) -> Identity:
    is_verified = claims.get("email_verified", True) is True  # a provider may leave it out
    email = claims.get("email") if is_verified else None
    name = claims.get("name") or claims.get("preferred_username") or email or claims["sub"]
    return Identity(issuer, str(claims["sub"]), email, str(name)[:_NAME_LENGTH])
