"""What a provider says of itself: its discovery document and its keys."""

import json
from typing import Any

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, import_key

from heliograph.platform.oidc.errors import OtherProviderError, UnusableAnswerError
from heliograph.platform.oidc.http import ProviderHttp

WELL_KNOWN = "/.well-known/openid-configuration"


class Metadata(msgspec.Struct, frozen=True):
    """What we use of a discovery document (Discovery 1.0, 3; RFC 9207, 3; RP-Initiated Logout 1.0,
    2.1)."""

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


async def read_metadata(http: ProviderHttp, issuer: str) -> Metadata:
    """Return the discovery document of `issuer`. Raises `SignInError`, also if another issuer
    answers."""
    url = issuer.rstrip("/") + WELL_KNOWN
    body = await _read(http, url)
    try:
        metadata = msgspec.json.decode(body, type=Metadata)
    except (ValueError, RecursionError) as error:
        raise UnusableAnswerError(f"{url} is not a usable discovery document: {error}") from error
    if metadata.issuer != issuer:
        raise OtherProviderError(metadata.issuer)
    return metadata


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
