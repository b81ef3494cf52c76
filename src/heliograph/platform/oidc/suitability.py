"""Whether people can sign in with a provider, for `heliograph doctor`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from heliograph.platform.oidc.claims import ALGORITHMS, usable_algorithms
from heliograph.platform.oidc.client_authentication import BY_SECRET
from heliograph.platform.oidc.discovery import (
    Metadata,
    parse_metadata,
    read_document,
    read_keys,
)
from heliograph.platform.oidc.errors import SignInError
from heliograph.platform.oidc.http import ProviderHttp
from heliograph.settings import SignInSettings

_CHECK_ISSUER = "Check HELIOGRAPH_OIDC_ISSUER, and that the provider can be reached from here."
_OTHER_CLIENT = "Let the provider allow this for the client, or use another provider."
_BY_CODE = (
    "Until then, invitations are accepted with a code that the inviter hands over: see "
    "docs/dashboard.md."
)


class Shortcoming(NamedTuple):
    """What is wrong with a provider; `stops` says whether it keeps everybody from signing in."""

    problem: str
    remedy: str
    stops: bool = True


async def find_shortcomings(settings: SignInSettings) -> list[Shortcoming]:
    """Read what the provider says of itself, and return what does not go with the gateway."""
    http, issuer = ProviderHttp(), settings.issuer or ""
    try:
        document = await read_document(http, issuer)
        metadata = parse_metadata(issuer, document)
        await read_keys(http, metadata.jwks_uri)
    except SignInError as error:
        return [Shortcoming(error.reason, _CHECK_ISSUER)]
    said = json.loads(document)
    return [
        *_in_the_flow(said),
        *_in_authentication(said, has_secret=settings.client_secret is not None),
        *_in_tokens(metadata),
        *_in_addresses(said, trusts_email=settings.trust_email),
    ]


def _in_the_flow(said: Mapping[str, Any]) -> Iterator[Shortcoming]:
    for name, needed in (
        ("response_types_supported", "code"),
        ("response_modes_supported", "query"),
        ("grant_types_supported", "authorization_code"),
        ("code_challenge_methods_supported", "S256"),
        ("scopes_supported", "openid"),
    ):
        offered = _names(said, name)
        if offered is not None and needed not in offered:
            problem = f"The provider does not offer `{needed}`, which the gateway needs: its {name}"
            yield Shortcoming(f"{problem} has only {_list(offered)}.", _OTHER_CLIENT)
    is_pushed = said.get("pushed_authorization_request_endpoint") is not None
    if said.get("require_pushed_authorization_requests") is True and not is_pushed:
        yield Shortcoming(
            "The provider wants authorization requests pushed to it, and names no "
            "pushed_authorization_request_endpoint.",
            _OTHER_CLIENT,
        )
    if said.get("require_signed_request_object") is True:
        yield Shortcoming(
            "The provider takes only signed authorization requests "
            "(require_signed_request_object), which the gateway does not make.",
            _OTHER_CLIENT,
        )


def _in_authentication(said: Mapping[str, Any], *, has_secret: bool) -> Iterator[Shortcoming]:
    methods = _names(said, "token_endpoint_auth_methods_supported")
    if methods is None:
        return
    usable = BY_SECRET if has_secret else (*BY_SECRET, "none")
    if not set(usable) & set(methods):
        other = (
            "unset HELIOGRAPH_OIDC_CLIENT_SECRET if it has registered a public client"
            if "none" in methods
            else "use another provider"
        )
        yield Shortcoming(
            f"The provider's token endpoint takes only {_list(methods)}. The gateway has a client "
            "secret, or is a public client: it has no key and no certificate of its own.",
            f"Let the provider take {' or '.join(usable)} from this client, or {other}.",
        )
    elif not has_secret and "none" not in methods:
        yield Shortcoming(
            "HELIOGRAPH_OIDC_CLIENT_SECRET is not set, and the provider does not list `none` among "
            f"the ways to authenticate at its token endpoint: {_list(methods)}.",
            "Set the client's secret, unless the provider has registered it as a public client.",
            stops=False,
        )


def _in_tokens(metadata: Metadata) -> Iterator[Shortcoming]:
    if not usable_algorithms(metadata):
        yield Shortcoming(
            f"{metadata.issuer} signs with none of {_list(sorted(ALGORITHMS))}.",
            "Let the provider sign ID tokens with one of these.",
        )


def _in_addresses(said: Mapping[str, Any], *, trusts_email: bool) -> Iterator[Shortcoming]:
    claims, scopes = _names(said, "claims_supported"), _names(said, "scopes_supported")
    if scopes is not None and "email" not in scopes:
        problem = "The provider sends no e-mail address: its scopes_supported has no `email`."
        yield Shortcoming(problem, f"Let it offer the scope. {_BY_CODE}", stops=False)
    elif claims is not None and "email" not in claims:
        problem = "The provider sends no e-mail address: its claims_supported has no `email`."
        yield Shortcoming(problem, f"Let it send the claim. {_BY_CODE}", stops=False)
    elif claims is not None and "email_verified" not in claims and not trusts_email:
        yield Shortcoming(
            "The provider does not say whether an e-mail address is verified: its "
            "claims_supported has no `email_verified`.",
            "Let it send the claim (Microsoft Entra ID: `xms_edov`), or set "
            "HELIOGRAPH_OIDC_TRUST_EMAIL=true if nobody there chooses their own address. "
            + _BY_CODE,
            stops=False,
        )


def _names(said: Mapping[str, Any], name: str) -> list[str] | None:
    """Return a list of names; None where the provider says nothing that makes sense."""
    found = said.get(name)
    names = [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
    return names or None


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)[:300]
