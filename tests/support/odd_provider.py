"""An OpenID Connect provider that says whatever a test wants, or nothing at all."""

import base64
import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

import httpx
from joserfc.jwk import ECKey, KeySet, RSAKey
from joserfc.jws import serialize_compact

from local_provider import query_of

CLIENT_ID, SECRET = "heliograph", "a:b c+d%/é&="
START, CALLBACK = "/dashboard/sign-in/start", "/dashboard/callback"


def make_key(algorithm: str = "RS256") -> Any:
    if algorithm == "RS256":
        return RSAKey.generate_key(2048, auto_kid=True)
    return ECKey.generate_key("P-256", auto_kid=True)


@cache
def first_key() -> Any:
    """The key that every provider begins with: to make one takes longer than most tests."""
    return make_key()


@dataclass
class OddProvider:
    """`metadata` is laid over the discovery document, and `claims` over the token's: `LEFT_OUT`
    takes a claim away. `raw` is served in place of a document; `asked` counts requests by path."""

    url: str
    metadata: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: Any = None
    pushed: dict[str, Any] | None = None
    token: dict[str, Any] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)
    raw: dict[str, bytes] = field(default_factory=dict)
    nonce: str = ""
    algorithm: str = "RS256"
    has_kid: bool = True
    key: Any = field(default_factory=first_key)
    asked: Counter[str] = field(default_factory=Counter[str])
    headers: list[dict[str, str]] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    is_open: threading.Event = field(default_factory=threading.Event)

    def change_key(self, algorithm: str = "RS256") -> None:
        self.algorithm, self.key = algorithm, make_key(algorithm)

    def answer(self, path: str) -> tuple[int, bytes]:
        self.asked[path] += 1
        self.is_open.wait(60)
        if path in self.raw:
            return self.status.get(path, 200), self.raw[path]
        documents: dict[str, Callable[[], Any]] = {
            "/.well-known/openid-configuration": self._discovery,
            "/jwks": lambda: KeySet([self.key]).as_dict(private=False),
            "/token": self._token,
            "/userinfo": lambda: self.userinfo,
            "/par": lambda: self.pushed,
        }
        return self.status.get(path, 200), json.dumps(documents[path]()).encode()

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize?tenant=1",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "userinfo_endpoint": None if self.userinfo is None else f"{self.url}/userinfo",
            "pushed_authorization_request_endpoint": self.pushed and f"{self.url}/par",
            "id_token_signing_alg_values_supported": [self.algorithm],
            **self.metadata,
        }

    def _token(self) -> dict[str, Any]:
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "sub": "ada",
            "iat": now,
            "exp": now + 300,
            "nonce": self.nonce,
            **self.claims,
        }
        kept = {name: value for name, value in claims.items() if value is not LEFT_OUT}
        return {
            "access_token": "opaque",
            "token_type": "Bearer",
            "id_token": self.sign(kept),
            **self.token,
        }

    def sign(self, claims: dict[str, Any], key: Any = None) -> str:
        """Claims as a token, signed with a key of the provider's or with another one."""
        header = {"alg": self.algorithm} | ({"kid": self.key.kid} if self.has_kid else {})
        payload = json.dumps(claims)  # with lone surrogates, too, as escapes
        return serialize_compact(header, payload, key or self.key, algorithms=[self.algorithm])


async def sign_in(browser: httpx.AsyncClient, odd: OddProvider, **query: str) -> httpx.Response:
    """There and back, as if the provider had asked nothing."""
    answer = await browser.get(START, params={"account": "other"})
    assert answer.status_code == 303, answer.text
    sent = query_of(answer.headers["location"])
    odd.nonce = sent["nonce"]
    return await browser.get(CALLBACK, params={"code": "c", "state": sent["state"], **query})


def unsigned(claims: dict[str, Any], algorithm: str = "none") -> str:
    """Claims as a token that nobody has signed, whatever it says of an algorithm."""
    parts = (json.dumps(part).encode() for part in ({"alg": algorithm}, claims))
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."


class _LeftOut:
    def __repr__(self) -> str:
        return "left out"


LEFT_OUT: object = _LeftOut()
"""A claim that is not there."""


@contextlib.contextmanager
def running_odd_provider() -> Iterator[OddProvider]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["content-length"])).decode()
            provider.forms.append(dict(parse_qsl(form)))
            provider.headers.append(dict(self.headers))
            self._answer()

        def _answer(self) -> None:
            status, body = provider.answer(self.path.partition("?")[0])
            with contextlib.suppress(OSError):  # who has asked has gone
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider = OddProvider(f"http://127.0.0.1:{server.server_address[1]}")
    provider.is_open.set()
    # by itself it looks twice a second whether it is to end
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield provider
    finally:
        provider.is_open.set()
        server.shutdown()
        thread.join()
        server.server_close()
