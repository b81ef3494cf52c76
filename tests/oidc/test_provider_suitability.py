"""Providers that want requests pushed, and those with which nobody could sign in."""

import json
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from each_case import for_each
from heliograph.platform.oidc.suitability import find_shortcomings
from heliograph.settings import SignInSettings
from local_provider import query_of
from odd_provider import CALLBACK, START, OddProvider

SECRET = SecretStr("hush")
OF_ENTRA = ["sub", "iss", "aud", "exp", "iat", "nonce", "preferred_username", "name", "email"]


async def test_a_request_is_pushed_where_the_provider_takes_it(
    browser: httpx.AsyncClient, odd: OddProvider
) -> None:
    odd.pushed = {"request_uri": "urn:ietf:params:oauth:request_uri:a+b&c", "expires_in": 60}
    odd.status["/par"] = 201
    answer = await browser.get(START, params={"next": "/dashboard", "login_hint": "ada"})
    sent = query_of(answer.headers["location"])
    uri = odd.pushed["request_uri"]
    assert sent == {"tenant": "1", "client_id": "heliograph", "request_uri": uri}
    [pushed] = odd.forms
    assert pushed["response_type"] == "code"
    assert pushed["code_challenge_method"] == "S256"
    assert pushed["login_hint"] == "ada"
    assert odd.headers[0]["Authorization"].startswith("Basic ")
    odd.nonce = pushed["nonce"]
    back = await browser.get(CALLBACK, params={"code": "c", "state": pushed["state"]})
    assert back.status_code == 303


@pytest.mark.parametrize(
    ("status", "pushed"),
    [(400, {"error": "invalid_request"}), (201, {"request_uri": 1}), (200, {}), (500, {"a": 1})],
)
async def test_a_refused_push_matters_only_where_it_is_required(
    browser: httpx.AsyncClient, odd: OddProvider, status: int, pushed: dict[str, Any]
) -> None:
    odd.raw["/par"], odd.status["/par"] = json.dumps(pushed).encode(), status
    odd.metadata = {"pushed_authorization_request_endpoint": f"{odd.url}/par"}
    sent = query_of((await browser.get(START)).headers["location"])
    assert sent["code_challenge_method"] == "S256"
    assert odd.asked["/par"] == 1


async def test_a_required_push_that_is_refused_is_told_on_a_page(
    browser: httpx.AsyncClient, odd: OddProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    odd.raw["/par"], odd.status["/par"] = b'{"error": "invalid_client"}', 401
    odd.metadata = {
        "pushed_authorization_request_endpoint": f"{odd.url}/par",
        "require_pushed_authorization_requests": True,
    }
    answer = await browser.get(START)
    assert answer.status_code == 502
    assert "does not accept the gateway" in answer.text
    assert "invalid_client" in capsys.readouterr().out


def name_of(value: object) -> str:
    return next(iter(value)) if isinstance(value, dict) else ""


@for_each(
    ("metadata", "told"),
    [
        ({"response_types_supported": ["id_token", "code id_token"]}, "`code`"),
        ({"response_modes_supported": ["form_post"]}, "`query`"),
        ({"grant_types_supported": ["implicit"]}, "`authorization_code`"),
        ({"code_challenge_methods_supported": ["plain"]}, "`S256`"),
        ({"require_signed_request_object": True}, "signed authorization requests"),
        ({"require_pushed_authorization_requests": True}, "names no pushed"),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, "only private_key_jwt"),
        ({"token_endpoint_auth_methods_supported": ["tls_client_auth"]}, "only tls_client_auth"),
        (
            {"token_endpoint_auth_methods_supported": ["self_signed_tls_client_auth", "none"]},
            "only",
        ),
        ({"id_token_signing_alg_values_supported": ["HS256"]}, "signs with none of"),
        ({"jwks_uri": "http://127.0.0.1:1/jwks"}, "does not answer"),
        ({"token_endpoint": "/t"}, "no usable token_endpoint: '/t'"),
        ({"token_endpoint": "https://[::1/t"}, "no usable token_endpoint"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "no usable authorization_endpoint"),
        ({"jwks_uri": "https:///jwks"}, "no usable jwks_uri"),
    ],
    ids=name_of,
)
async def test_what_keeps_everybody_out_is_found(
    odd: OddProvider, metadata: dict[str, Any], told: str
) -> None:
    odd.metadata = metadata
    [found] = await find_shortcomings(SignInSettings(issuer=odd.url, client_secret=SECRET))
    assert found.stops
    assert told in found.problem


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"claims_supported": OF_ENTRA}, "TRUST_EMAIL"),
        ({"claims_supported": ["sub", "name"]}, "Let it send the claim."),
        ({"scopes_supported": ["openid", "profile"]}, "Let it offer the scope."),
        ({"token_endpoint_auth_methods_supported": ["client_secret_basic"]}, "Set the client"),
    ],
    ids=name_of,
)
async def test_what_may_keep_people_out_is_a_warning(
    odd: OddProvider, metadata: dict[str, Any], told: str
) -> None:
    odd.metadata = metadata
    [found] = await find_shortcomings(SignInSettings(issuer=odd.url))
    assert not found.stops
    assert told in found.remedy


async def test_a_secret_that_a_public_client_has_not_can_be_unset(odd: OddProvider) -> None:
    odd.metadata = {"token_endpoint_auth_methods_supported": ["none"]}
    [found] = await find_shortcomings(SignInSettings(issuer=odd.url, client_secret=SECRET))
    assert "unset HELIOGRAPH_OIDC_CLIENT_SECRET" in found.remedy
    assert await find_shortcomings(SignInSettings(issuer=odd.url)) == []


async def test_a_provider_that_fits_or_says_nothing_odd_is_in_order(odd: OddProvider) -> None:
    fitting = {
        "claims_supported": OF_ENTRA,
        "response_types_supported": ["code"],
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"],
        "pushed_authorization_request_endpoint": f"{odd.url}/par",
        "require_pushed_authorization_requests": True,
    }
    settings = SignInSettings(issuer=odd.url, client_secret=SECRET, trust_email=True)
    for metadata in (fitting, {}, {"claims_supported": "all", "grant_types_supported": [1, None]}):
        odd.metadata = metadata
        assert await find_shortcomings(settings) == [], metadata
