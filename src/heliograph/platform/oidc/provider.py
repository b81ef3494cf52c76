"""The provider with which people sign in."""

import base64
import hashlib
import json
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import structlog
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from heliograph.platform.oidc.cached import CachedDocument
from heliograph.platform.oidc.claims import (
    ALGORITHMS,
    Identity,
    check_claims,
    check_userinfo,
    identity_of,
    merge_userinfo,
    read_token,
    says_whether_verified,
    usable_algorithms,
)
from heliograph.platform.oidc.client_authentication import authenticate
from heliograph.platform.oidc.discovery import Metadata, read_keys, read_metadata
from heliograph.platform.oidc.errors import (
    OtherProviderError,
    RefusedClientError,
    SignInError,
    UnusableAnswerError,
)
from heliograph.platform.oidc.http import ProviderHttp
from heliograph.settings import SignInSettings

log = structlog.get_logger()

_SCOPES = "openid email profile"
_UNREADABLE = (JoseError, ValueError, TypeError, RecursionError)
_USERINFO = "application/json, application/jwt"
_MAX_TOKEN_LENGTH = 16 * 1024  # characters of an ID token that is kept


class Secrets(NamedTuple):
    """The secrets of one sign-in, which only its browser has: both ends of PKCE and the nonce."""

    nonce: str
    verifier: str


class SignInResult(NamedTuple):
    """Somebody who has signed in. `id_token` is None where signing out has no use for it."""

    identity: Identity
    id_token: str | None


class Provider:
    """The configured provider. Its documents are kept, since they seldom change."""

    def __init__(self, settings: SignInSettings) -> None:
        self._issuer = settings.issuer or ""
        self._client_id = settings.client_id
        secret = settings.client_secret
        self._client_secret = None if secret is None else secret.get_secret_value()
        self._trusts_email = settings.trust_email
        self._http = ProviderHttp()
        self._metadata = CachedDocument(lambda: read_metadata(self._http, self._issuer))
        self._keys = CachedDocument(self._read_keys)

    @property
    def name(self) -> str:
        """The name by which people know it: its host."""
        return urlsplit(self._issuer).netloc

    async def begin(
        self,
        redirect_uri: str,
        state: str,
        secrets: Secrets,
        *,
        asks_again: bool = False,
        hint: str | None = None,
    ) -> str:
        """Return where to send the browser. Raises `SignInError`.

        With `asks_again`, the provider asks who it is even if it remembers somebody.
        """
        metadata = await self._metadata.get()
        parameters = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": _SCOPES,
            "state": state,
            "nonce": secrets.nonce,
            "code_challenge": challenge(secrets.verifier),
            "code_challenge_method": "S256",
        }
        if asks_again:
            parameters["prompt"] = _prompt(metadata)
        if hint:
            parameters["login_hint"] = hint
        if metadata.pushed_authorization_request_endpoint is not None:
            parameters = await self._push(metadata, parameters)
        return _with_query(metadata.authorization_endpoint, parameters)

    async def check_sender(self, issuer: str | None) -> None:
        """Check by its `iss` that an answer which the browser brings is our provider's (RFC 9207).

        Raises `SignInError`.
        """
        metadata = await self._metadata.get()
        must_say = bool(metadata.authorization_response_iss_parameter_supported)
        if issuer != self._issuer and (must_say or issuer is not None):
            raise OtherProviderError(issuer or "")

    async def finish(self, code: str, secrets: Secrets, redirect_uri: str) -> SignInResult:
        """Return who has signed in. Raises `SignInError`."""
        metadata = await self._metadata.get()
        answer = await self._ask_for_token(metadata, code, secrets, redirect_uri)
        id_token = answer.get("id_token")
        if not isinstance(id_token, str):
            raise UnusableAnswerError("the token endpoint's answer has no ID token")
        claims = await self._read_token(id_token, "ID token", metadata)
        check_claims(claims, issuer=self._issuer, client_id=self._client_id, nonce=secrets.nonce)
        claims = await self._complete(claims, answer.get("access_token"), metadata)
        identity = identity_of(self._issuer, claims, trusts_email=self._trusts_email)
        if identity.email is None:
            log.info("the provider vouches for no e-mail address", claims=sorted(claims)[:50])
        is_kept = metadata.end_session_endpoint is not None and len(id_token) <= _MAX_TOKEN_LENGTH
        return SignInResult(identity, id_token if is_kept else None)

    async def sign_out_url(self, id_token: str, back: str) -> str | None:
        """Return where the browser signs out at the provider, if it can (RP-Initiated Logout 1.0).

        Raises `SignInError`.
        """
        metadata = await self._metadata.get()
        if metadata.end_session_endpoint is None:
            return None
        parameters = {
            "id_token_hint": id_token,
            "client_id": self._client_id,
            "post_logout_redirect_uri": back,
        }
        return _with_query(metadata.end_session_endpoint, parameters)

    async def _read_keys(self) -> KeySet:
        return await read_keys(self._http, (await self._metadata.get()).jwks_uri)

    async def _push(self, metadata: Metadata, parameters: dict[str, str]) -> dict[str, str]:
        """Hand the parameters over beforehand (RFC 9126). Return what the browser brings instead.

        Some providers require it of a client without saying so in their document; one that refuses
        it, and does not require it, gets the parameters by the browser. Raises `SignInError`.
        """
        url = metadata.pushed_authorization_request_endpoint or ""
        fields, headers = authenticate(self._client_id, self._client_secret, metadata)
        status, body = await self._http.post(url, parameters | fields, headers)
        answer = _json_object(body)
        request_uri = answer.get("request_uri")
        if status in (200, 201) and isinstance(request_uri, str):
            return {"client_id": self._client_id, "request_uri": request_uri}
        reason = f"{url} answers with the status {status}: {explain(answer)}"
        if metadata.require_pushed_authorization_requests:
            raise _refused(answer, reason)
        log.info("the provider takes no pushed request", reason=reason[:500])
        return parameters

    async def _ask_for_token(
        self, metadata: Metadata, code: str, secrets: Secrets, redirect_uri: str
    ) -> dict[str, Any]:
        fields, headers = authenticate(self._client_id, self._client_secret, metadata)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": secrets.verifier,
            **fields,
        }
        status, body = await self._http.post(metadata.token_endpoint, form, headers)
        answer = _json_object(body)
        if status != 200 or "error" in answer:
            said = explain(answer)
            raise _refused(answer, f"the token endpoint answers with the status {status}: {said}")
        return answer

    async def _read_token(
        self, token: str, what: str, metadata: Metadata, algorithms: frozenset[str] | None = None
    ) -> dict[str, Any]:
        """Return the token's claims, reading the documents again for a token that does not fit
        them.

        It may be signed with a key or in a way that is newer than what we know. Without
        `algorithms`, those are taken that the provider names for ID tokens.
        """
        try:
            keys = await self._keys.get()
            return read_token(token, keys, algorithms or usable_algorithms(metadata))
        except _UNREADABLE:
            metadata, keys = await self._metadata.get_newer(), await self._keys.get_newer()
        try:
            return read_token(token, keys, algorithms or usable_algorithms(metadata))
        except _UNREADABLE as error:
            raise UnusableAnswerError(f"the {what} can't be read: {error}") from error

    async def _complete(
        self, claims: dict[str, Any], access_token: Any, metadata: Metadata
    ) -> dict[str, Any]:
        """Add what the provider tells only when it is asked with the token."""
        url = metadata.userinfo_endpoint
        if says_whether_verified(claims) or url is None or not isinstance(access_token, str):
            return claims
        if not access_token.isascii() or not access_token.isprintable():
            return claims
        headers = {"Authorization": f"Bearer {access_token}", "Accept": _USERINFO}
        status, body = await self._http.get(url, headers)
        more = await self._read_userinfo(body, metadata) if status == 200 else {}
        return merge_userinfo(claims, more) if more.get("sub") == claims["sub"] else claims

    async def _read_userinfo(self, body: bytes, metadata: Metadata) -> dict[str, Any]:
        """Return the claims of the userinfo, as JSON or signed (Core 1.0, 5.3.2); none if they
        can't be trusted."""
        if not _looks_signed(body):
            return _json_object(body)
        try:
            token = body.decode("ascii").strip()
            claims = await self._read_token(token, "userinfo", metadata, ALGORITHMS)
            check_userinfo(claims, issuer=self._issuer, client_id=self._client_id)
        except (SignInError, ValueError) as error:
            reason = error.reason if isinstance(error, SignInError) else str(error)
            log.warning("the provider's userinfo is left out", reason=reason)
            return {}
        return claims


def _looks_signed(body: bytes) -> bool:
    # its type does not tell: some call a token application/json
    return body.strip()[:1] != b"{" and body.count(b".") >= 2


def explain(answer: dict[str, Any]) -> dict[str, str]:
    """Return `error` and `error_description` (RFC 6749, 4.1.2.1 and 5.2), fit for the log."""
    found = {name: answer.get(name) for name in ("error", "error_description")}
    return {name: str(value)[:300] for name, value in found.items() if value is not None}


def _refused(answer: dict[str, Any], reason: str) -> SignInError:
    if answer.get("error") in ("invalid_client", "unauthorized_client"):
        return RefusedClientError(reason)
    return SignInError("Signing in did not work at the provider. Try again.", reason)


def challenge(verifier: str) -> str:
    """Return the code challenge of a verifier: S256 of RFC 7636, 4.2."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _prompt(metadata: Metadata) -> str:
    """Return the prompt to ask for: every provider knows `login` (Core 1.0, 3.1.2.1)."""
    known = metadata.prompt_values_supported or ()  # `login` asks for a password, too
    return "select_account" if "select_account" in known else "login"


def _with_query(url: str, parameters: dict[str, str]) -> str:
    """Add parameters to an endpoint's address, which may have a query already (RFC 6749, 3.1)."""
    return f"{url}{'&' if '?' in url else '?'}{urlencode(parameters)}"


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
