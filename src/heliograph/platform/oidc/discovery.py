"""What a provider says of itself: its discovery document and its keys."""

import json
from typing import Any
from urllib.parse import urlsplit

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, import_key

from heliograph.platform.oidc.errors import OtherProviderError, UnusableAnswerError
from heliograph.platform.oidc.http import ProviderHttp

WELL_KNOWN = "/.well-known/openid-configuration"

_ADDRESSES = ("authorization_endpoint", "token_endpoint", "jwks_uri")
"""Endpoints without which nobody can sign in; they are absolute (Discovery 1.0, 3)."""


class Metadata(msgspec.Struct, frozen=True):
    """What we use of a discovery document (Discovery 1.0, 3; RFC 9126, 5; RFC 9207, 3; RP-Initiated
    Logout 1.0, 2.1)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    id_token_signing_alg_values_supported: tuple[str, ...] | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] | None = None
    prompt_values_supported: tuple[str, ...] | None = None
    authorization_response_iss_parameter_supported: bool | None = None
    pushed_authorization_request_endpoint: str | None = None
    require_pushed_authorization_requests: bool | None = None


async def read_metadata(http: ProviderHttp, issuer: str) -> Metadata:
    """Return the discovery document of `issuer`. Raises `SignInError`, also if another issuer
    answers."""
    return parse_metadata(issuer, await read_document(http, issuer))


async def read_document(http: ProviderHttp, issuer: str) -> bytes:
    """Return the discovery document as it comes. Raises `SignInError`."""
    return await _read(http, document_url(issuer))


def document_url(issuer: str) -> str:
    return issuer.rstrip("/") + WELL_KNOWN


def parse_metadata(issuer: str, document: bytes) -> Metadata:
    """Parse what `read_document` has read. Raises `SignInError`."""
    try:
        metadata = msgspec.json.decode(document, type=Metadata)
    except (ValueError, RecursionError) as error:
        reason = f"{document_url(issuer)} is not a usable discovery document: {error}"
        raise UnusableAnswerError(reason) from error
    if metadata.issuer != issuer:
        raise OtherProviderError(metadata.issuer)
    for name in _ADDRESSES:
        address = getattr(metadata, name)
        if not _is_address(address):
            raise UnusableAnswerError(
                f"{document_url(issuer)} has no usable {name}: {address[:200]!r} is not an address "
                "that begins with https:// or http://"
            )
    return metadata


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("https", "http") and bool(parts.hostname)
    except ValueError:
        return False


async def read_keys(http: ProviderHttp, url: str) -> KeySet:
    """Return the keys that sign, without those that we can't read. Raises `SignInError`."""
    try:
        document = json.loads(await _read(http, url))
        found = [_import(key) for key in document["keys"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnusableAnswerError(f"{url} is not a usable list of keys: {error!r}") from error
    keys = [key for key in found if key is not None]
    if not keys:
        raise UnusableAnswerError(f"{url} has no key that we can use")
    return KeySet(keys)


def _import(key: Any) -> Any:
    if not isinstance(key, dict) or key.get("use", "sig") != "sig":
        return None
    try:
        return import_key(key)
    except (JoseError, ValueError, TypeError, KeyError):
        return None


async def _read(http: ProviderHttp, url: str) -> bytes:
    status, body = await http.get(url)
    if status != 200:
        raise UnusableAnswerError(f"{url} answers with the status {status}")
    return body
