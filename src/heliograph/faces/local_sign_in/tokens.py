"""Authorization codes, and the ID tokens that they are exchanged for, once."""

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache
from joserfc import jwt
from joserfc.jwk import ECKey

ALGORITHM = "ES256"
_CODE_LIFETIME = 60.0
_MAX_CODES = 1000
_TOKEN_LIFETIME = 300


@dataclass(frozen=True, slots=True)
class Grant:
    """What an authorization code stands for."""

    email: str
    nonce: str | None
    challenge: str


class Tokens:
    """Issue tokens. The key lives as long as the process; clients read a new one by themselves."""

    def __init__(self, issuer: str, client_id: str) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._key = ECKey.generate_key("P-256", {"use": "sig", "alg": ALGORITHM}, auto_kid=True)
        self._grants: TTLCache[str, Grant] = TTLCache(_MAX_CODES, _CODE_LIFETIME)

    def key_set(self) -> dict[str, Any]:
        """Return the public key as a key set (RFC 7517)."""
        return {"keys": [self._key.as_dict(private=False)]}

    def grant(self, email: str, nonce: str | None, challenge: str) -> str:
        """Return an authorization code for whoever knows the challenge's verifier."""
        code = secrets.token_urlsafe(32)
        self._grants[code] = Grant(email, nonce, challenge)
        return code

    def exchange(self, code: str, verifier: str) -> dict[str, Any] | None:
        """Return the token endpoint's response; None for a wrong code or verifier."""
        grant = self._grants.pop(code, None)
        if grant is None or not hmac.compare_digest(_challenge(verifier), grant.challenge.encode()):
            return None
        return {
            "access_token": secrets.token_urlsafe(32),
            "token_type": "Bearer",
            "expires_in": _TOKEN_LIFETIME,
            "id_token": self._id_token(grant),
        }

    def _id_token(self, grant: Grant) -> str:
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self._issuer,
            "aud": self._client_id,
            "sub": grant.email,
            "email": grant.email,
            "email_verified": True,
            "iat": now,
            "auth_time": now,
            "exp": now + _TOKEN_LIFETIME,
        }
        if grant.nonce is not None:
            claims["nonce"] = grant.nonce
        return jwt.encode({"alg": ALGORITHM, "kid": self._key.kid}, claims, self._key)


def _challenge(verifier: str) -> bytes:
    """Return the code challenge (S256 of RFC 7636, 4.2)."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=")
