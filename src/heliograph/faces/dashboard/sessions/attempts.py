"""Sign-ins under way: what has to survive the trip to the provider and back.

The browser keeps one secret in a cookie, for any number of sign-ins in any number of tabs; nonce
and PKCE verifier are derived from it and the sign-in's id. The encrypted `state` that travels with
the browser says which sign-in it is, of which browser, and where it leads. So any node can finish
what another has begun, and nothing is stored that strangers could fill.
"""

import base64
import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass
from typing import Self

import msgspec

from heliograph.platform.crypto import DecryptError, SecretBox
from heliograph.platform.oidc.provider import Secrets

SIGN_IN_LIFETIME = 600
_CONTEXT = "dashboard sign-in"
_COOKIE = re.compile(r"([A-Za-z0-9_-]{43})((?:\.[A-Za-z0-9_-]{11}){0,4})", re.ASCII)
_MAX_DONE = 4


class SignInAttempt(msgspec.Struct, frozen=True):
    """`browser` is the hash of its secret, `until` Unix time."""

    id: str
    browser: str
    next: str
    until: float


@dataclass(frozen=True, slots=True)
class BrowserSecret:
    """The cookie's content. `done` lists the sign-ins finished last: a reloaded page brings a code
    that was already used."""

    value: str
    done: tuple[str, ...] = ()

    @classmethod
    def make(cls) -> Self:
        return cls(secrets.token_urlsafe(32))

    @classmethod
    def read(cls, cookie: str | None) -> Self | None:
        match = _COOKIE.fullmatch(cookie or "")
        return None if match is None else cls(match[1], tuple(match[2].split(".")[1:]))

    def __str__(self) -> str:
        return ".".join((self.value, *self.done))

    def having_done(self, attempt: SignInAttempt) -> Self:
        return type(self)(self.value, (*self.done, attempt.id)[-_MAX_DONE:])

    def begin(self, wanted: str) -> SignInAttempt:
        return SignInAttempt(
            secrets.token_urlsafe(8), self._hash(), wanted, time.time() + SIGN_IN_LIFETIME
        )

    def owns(self, attempt: SignInAttempt) -> bool:
        return hmac.compare_digest(self._hash(), attempt.browser)

    def secrets_of(self, attempt: SignInAttempt) -> Secrets:
        return Secrets(self._derive("nonce", attempt.id), self._derive("verifier", attempt.id))

    def _hash(self) -> str:
        return self._derive("browser", "")

    def _derive(self, purpose: str, text: str) -> str:
        digest = hmac.digest(self.value.encode(), f"{purpose} {text}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def seal(box: SecretBox, attempt: SignInAttempt) -> str:
    """Encrypt the attempt as `state`."""
    return base64.urlsafe_b64encode(box.encrypt(msgspec.json.encode(attempt), _CONTEXT)).decode()


def unseal(box: SecretBox, state: str) -> SignInAttempt | None:
    """Decrypt an attempt; return None where `state` is not ours or has expired."""
    try:
        opened = box.decrypt(base64.urlsafe_b64decode(state.encode()), _CONTEXT)
        attempt = msgspec.json.decode(opened, type=SignInAttempt)
    except (ValueError, DecryptError):
        return None
    return attempt if attempt.until > time.time() else None
