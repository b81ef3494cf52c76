"""Who somebody is, from a provider's claims, which can hold any odd value."""

import re
from typing import Any

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from joserfc.jwt import JWTClaimsRegistry, decode

from heliograph.platform.oidc.discovery import Metadata
from heliograph.platform.oidc.errors import UnusableAnswerError

ALGORITHMS = frozenset(
    {
        *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
    }
)
"""Those that sign with a key of the provider's own: never `none`, nor one with a shared secret."""

_LEEWAY = 60  # seconds by which clocks may differ
_NAME_LENGTH = 200
_SUBJECT_LENGTH = 255
_EMAIL_LENGTH = 320
_SAYS_VERIFIED = {"email_verified": ("true",), "xms_edov": ("true", "1")}
"""What says that `email` is verified, and how; the first claim that is there counts. Of Core 1.0,
5.1, which some write as text, and of Microsoft Entra ID, which checks the address's domain."""
_NOT_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,250}")


class Identity(msgspec.Struct, frozen=True):
    """What a provider says about the person who signed in (OpenID Connect Core 1.0, 5.1).

    `issuer` and `subject` together are the person; `email` is None unless the provider vouches for
    it.
    """

    issuer: str
    subject: str
    email: str | None
    name: str


def usable_algorithms(metadata: Metadata) -> frozenset[str]:
    """Return the provider's algorithms that we accept; if it names none, the one that all have."""
    return ALGORITHMS & frozenset(metadata.id_token_signing_alg_values_supported or ("RS256",))


def read_token(token: str, keys: KeySet, algorithms: frozenset[str]) -> dict[str, Any]:
    """Return the claims of a token that one of these keys has signed.

    Raises `JoseError` and `ValueError`.
    """
    registry = JWSRegistry(algorithms=algorithms, strict_check_header=False)
    return decode(token, keys, registry=registry).claims


def check_claims(claims: dict[str, Any], *, issuer: str, client_id: str, nonce: str) -> None:
    """Check that the token is for us, of this sign-in and still good (Core 1.0, 3.1.3.7).

    Raises `SignInError`.
    """
    registry = JWTClaimsRegistry(
        leeway=_LEEWAY,
        iss={"essential": True, "value": issuer},
        sub={"essential": True},
        aud={"essential": True, "value": client_id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, ArithmeticError) as error:
        raise UnusableAnswerError(f"the ID token is not valid: {error}") from error
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if claims.get("azp", client_id if len(audiences) == 1 else None) != client_id:
        raise UnusableAnswerError("the ID token is for somebody else: its azp is not our client id")


def check_userinfo(claims: dict[str, Any], *, issuer: str, client_id: str) -> None:
    """Check that a signed userinfo is of our provider and for us (Core 1.0, 5.3.2).

    Raises `SignInError`.
    """
    registry = JWTClaimsRegistry(
        leeway=_LEEWAY,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
    )
    try:
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, ArithmeticError) as error:
        raise UnusableAnswerError(f"the userinfo is not valid: {error}") from error


def identity_of(issuer: str, claims: dict[str, Any], *, trusts_email: bool = False) -> Identity:
    """Return who it is, ignoring all claims that make no sense but the subject.

    `trusts_email` takes an address of which the provider does not say whether it is verified.
    Raises `SignInError` for a subject that can't be one.
    """
    subject = _text(claims.get("sub"), _SUBJECT_LENGTH)
    if subject is None:
        raise UnusableAnswerError("the subject (sub) is not a text of 1 to 255 characters")
    email = _vouched_email(claims, trusts_email=trusts_email)
    name = _name(claims.get("name")) or _name(claims.get("preferred_username"))
    return Identity(issuer, subject, email, name or email or subject[:_NAME_LENGTH])


def merge_userinfo(claims: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the token's claims with those of the userinfo of the same person.

    If the token's address is verified, that says nothing about a different one in the userinfo.
    """
    more = {name: value for name, value in more.items() if value is not None}
    address = claims.get("email")
    is_other = address is not None and more.get("email", address) != address
    kept = {
        name: value
        for name, value in claims.items()
        if not (is_other and name in _SAYS_VERIFIED and _is_yes(name, value))
    }
    return kept | more


def says_whether_verified(claims: dict[str, Any]) -> bool:
    """Return whether the claims have an address, and say whether it is verified."""
    return "email" in claims and any(claims.get(name) is not None for name in _SAYS_VERIFIED)


def _vouched_email(claims: dict[str, Any], *, trusts_email: bool) -> str | None:
    """Return the address that the provider vouches for, or that the operator trusts it with."""
    for name in _SAYS_VERIFIED:
        if (said := claims.get(name)) is not None:  # a no stays a no, whatever is trusted
            return _email(claims.get("email")) if _is_yes(name, said) else None
    if not trusts_email:
        return None
    emails = claims.get("emails")  # Azure AD B2C; which of several is meant can't be told
    only = emails[0] if isinstance(emails, list) and len(emails) == 1 else None
    return _email(claims.get("email", only))


def _is_yes(name: str, said: Any) -> bool:
    return isinstance(said, bool | int | str) and str(said).lower() in _SAYS_VERIFIED[name]


def _email(value: Any) -> str | None:
    email = _text(value, _EMAIL_LENGTH)
    return email if email is not None and _EMAIL.fullmatch(email) else None


def _name(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    return _NOT_TEXT.sub("", value[: 2 * _NAME_LENGTH]).strip()[:_NAME_LENGTH] or None


def _text(value: Any, max_length: int) -> str | None:
    if not isinstance(value, str) or not 0 < len(value) <= max_length or _NOT_TEXT.search(value):
        return None
    return value
