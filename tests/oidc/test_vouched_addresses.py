"""Which e-mail addresses count: what providers say of them, in a token or when they are asked."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dashboard_scene import DashboardScene, open_scene
from heliograph.platform.oidc.claims import merge_userinfo
from heliograph.settings import SignInSettings
from odd_provider import LEFT_OUT, OddProvider, make_key, sign_in, unsigned

ADDRESS = "ada@contoso.example"


@pytest.fixture
async def trusting(
    database_url: str, tmp_path: Path, odd: OddProvider
) -> AsyncIterator[DashboardScene]:
    settings = SignInSettings(issuer=odd.url, trust_email=True)
    async with open_scene(database_url, tmp_path, sign_in=settings) as scene:
        yield scene


async def address_of(scene: DashboardScene, odd: OddProvider, claims: dict[str, Any]) -> str | None:
    """What is known of somebody of whom the provider says this."""
    odd.claims = claims
    back = await sign_in(scene.browser(), odd)
    assert back.status_code == 303, claims
    [user] = await scene.rows("SELECT email FROM users")
    email: str | None = user["email"]
    return email


@pytest.mark.parametrize("said", [True, 1, "1", "true", "True"], ids=repr)
async def test_entra_vouches_for_an_address_by_its_domain(
    scene: DashboardScene, odd: OddProvider, said: object
) -> None:
    claims = {"email": ADDRESS, "xms_edov": said}
    assert await address_of(scene, odd, claims) == ADDRESS
    assert await address_of(scene, odd, claims | {"email_verified": False}) is None


@pytest.mark.parametrize(
    "said", [LEFT_OUT, None, False, 0, "0", "false", "", 2, 1.0, "yes", [1], {"1": 1}], ids=repr
)
async def test_whatever_else_entra_says_of_a_domain_vouches_for_nothing(
    scene: DashboardScene, odd: OddProvider, said: object
) -> None:
    claims = {"email": ADDRESS, "xms_edov": said, "upn": ADDRESS, "preferred_username": ADDRESS}
    assert await address_of(scene, odd, claims) is None


@pytest.mark.parametrize(
    ("claims", "known"),
    [
        ({"email": ADDRESS}, ADDRESS),
        ({"email": ADDRESS, "email_verified": None}, ADDRESS),
        ({"emails": [ADDRESS]}, ADDRESS),
        ({"email": ADDRESS, "email_verified": False}, None),
        ({"email": ADDRESS, "email_verified": "false"}, None),
        ({"email": ADDRESS, "email_verified": "maybe"}, None),
        ({"email": ADDRESS, "xms_edov": "0"}, None),
        ({"emails": [ADDRESS, "eve@contoso.example"]}, None),
        ({"emails": [ADDRESS], "email_verified": False}, None),
        ({"emails": ADDRESS}, None),
        ({"emails": [{"value": ADDRESS}]}, None),
        ({"preferred_username": ADDRESS, "upn": ADDRESS, "unique_name": ADDRESS}, None),
        ({"email": "ada"}, None),
        ({"email": [ADDRESS]}, None),
    ],
    ids=repr,
)
async def test_the_addresses_of_a_trusted_provider_count_unless_it_says_no(
    trusting: DashboardScene, odd: OddProvider, claims: dict[str, Any], known: str | None
) -> None:
    assert await address_of(trusting, odd, claims) == known


@pytest.mark.parametrize(
    ("token", "userinfo", "known"),
    [
        ({}, {"email": ADDRESS, "email_verified": True}, ADDRESS),
        ({"email_verified": True}, {"email": ADDRESS}, ADDRESS),
        ({"email": ADDRESS}, {"email_verified": "true"}, ADDRESS),
        ({"email": ADDRESS}, {"email": None, "email_verified": True}, ADDRESS),
        ({"email": ADDRESS, "xms_edov": True}, {"email": "eve@evil.example"}, ADDRESS),
        ({"email_verified": False}, {"email": ADDRESS}, None),
        ({}, {"email": ADDRESS}, None),
        ({}, {"email": ADDRESS, "email_verified": False}, None),
    ],
    ids=repr,
)
async def test_what_is_told_in_two_places_is_put_together(
    scene: DashboardScene,
    odd: OddProvider,
    token: dict[str, Any],
    userinfo: dict[str, Any],
    known: str | None,
) -> None:
    odd.userinfo = {"sub": "ada", **userinfo}
    assert await address_of(scene, odd, token) == known


async def test_a_no_in_the_token_holds_for_the_address_in_the_userinfo_of_a_trusted_provider(
    trusting: DashboardScene, odd: OddProvider
) -> None:
    odd.userinfo = {"sub": "ada", "email": ADDRESS}
    assert await address_of(trusting, odd, {"email_verified": False}) is None
    assert await address_of(trusting, odd, {}) == ADDRESS


def test_one_address_is_not_vouched_for_by_what_is_said_of_another() -> None:
    token = {"email": "ada@example.com", "email_verified": True, "xms_edov": 1}
    assert merge_userinfo(token, {"email": "eve@evil.example"}) == {"email": "eve@evil.example"}
    assert merge_userinfo(token, {"email": "ada@example.com"}) == token


async def test_a_signed_userinfo_is_read_and_one_that_others_signed_is_not(
    scene: DashboardScene, odd: OddProvider
) -> None:
    told = {"sub": "ada", "email": ADDRESS, "email_verified": True}
    ours = {"iss": odd.url, "aud": "heliograph"}
    odd.userinfo = {}
    for claims, key, known in (
        (told | ours, None, ADDRESS),
        (told | ours | {"aud": ["other", "heliograph"]}, None, ADDRESS),
        (told | ours, make_key(), None),
        (told | ours | {"iss": "https://evil.example"}, None, None),
        (told | ours | {"aud": "other"}, None, None),
        (told | ours | {"sub": "eve"}, None, None),
        (told, None, None),
    ):
        odd.raw["/userinfo"] = odd.sign(claims, key).encode()
        assert await address_of(scene, odd, {}) == known, claims
    for token in (unsigned(told | ours), "a.b.c.d.e", "é.é.é", "..", "", "[]"):
        odd.raw["/userinfo"] = token.encode()
        assert await address_of(scene, odd, {}) is None, token
