"""The error tree against the table of the public API, written down here as data."""

import json
import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from each_case import for_each
from heliograph import errors
from heliograph.errors import ConfigurationError, GatewayError, InvalidInputError
from heliograph.input_problems import InputProblem

SOME_ID = UUID("0197c6a8-0000-7000-8000-000000000001")

ANSWERS: dict[int, dict[str, tuple[Any, ...]]] = {
    400: {"malformed_request": ()},
    401: {
        "missing_api_key": (),
        "malformed_authorization": (),
        "invalid_api_key": (),
        "expired_api_key": (),
        "revoked_api_key": (),
        "invalid_metrics_token": (),
    },
    403: {
        "missing_scope": ("admin:read",),
        "account_not_allowed": (),
        "expiry_not_allowed": (datetime(2026, 1, 1, tzinfo=UTC),),
        "other_organization": (),
        "host_not_allowed": ("evil.example",),
        "origin_not_allowed": ("https://evil.example",),
        "metrics_token_not_set": (),
    },
    404: {
        "conversation_not_found": (SOME_ID,),
        "message_not_found": (SOME_ID,),
        "contact_not_found": (SOME_ID,),
        "chat_account_not_found": (SOME_ID,),
        "session_not_found": ("main",),
        "picture_not_found": (),
        "media_not_found": (SOME_ID,),
        "subscription_not_found": (SOME_ID,),
        "delivery_not_found": (SOME_ID,),
        "api_key_not_found": (SOME_ID,),
        "not_found": (),
    },
    405: {"method_not_allowed": (("GET", "HEAD"),)},
    408: {"request_timeout": (30,)},
    409: {
        "chat_account_not_connected": ("main",),
        "chat_account_connected": ("main",),
        "no_qr_code": ("main", "connected"),
        "no_chat_account": (),
        "idempotency_conflict": (),
        "already_in_group": ("120363@g.sandbox",),
        "approval_required": (),
        "job_unknown": (),
        "not_supported_by_network": ("sandbox", "create groups"),
        "already_sent": ("sending",),
        "not_sent": ("failed",),
        "message_deleted": (),
        "webhook_disabled": ("01939b1a-2000-7aaa-8bbb-ccccddddeeee",),
        "media_in_use": (),
        "too_old": ("15 minutes",),
        "refused_for_good": ("The group is full.",),
        "too_many_secrets": (4, datetime(2026, 1, 2, tzinfo=UTC)),
    },
    410: {"cursor_expired": (), "invite_revoked": ()},
    413: {"body_too_large": (1_048_576,)},
    414: {"address_too_long": (8_192, 64, 200)},
    415: {"unsupported_media_type": ()},
    429: {
        "rate_limited": (),
        "plan_limit_reached": ("free", "messages_per_day", 100),
        "too_many_readers": ("key", 10),
        "too_many_reads": (),
    },
    431: {"head_too_large": (65_536, 100)},
    502: {"network_refused": ("The group is full.",)},
    503: {"too_many_connections": (), "unavailable": ()},
    504: {"network_timeout": ()},
}
CODES = [(status, code) for status, codes in ANSWERS.items() for code in codes]
KEPT = {
    "other_organization",
    *ANSWERS[404],
    "already_in_group",
    "message_deleted",
    "approval_required",
    "job_unknown",
    "not_supported_by_network",
    "too_old",
    "refused_for_good",
    "invite_revoked",
}
"""The codes that an Idempotency-Key keeps; all others pass, or somebody mends what they name."""
KEYWORDS: dict[str, dict[str, Any]] = {
    "rate_limited": {"retry_after": 2.1},
    "plan_limit_reached": {
        "now": datetime(2026, 1, 1, 23, tzinfo=UTC),
        "resets_at": datetime(2026, 1, 2, tzinfo=UTC),
    },
}


def class_of(code: str) -> type[GatewayError]:
    name = code.title().replace("_", "") + "Error"
    found: type[GatewayError] = getattr(errors, name)
    assert issubclass(found, GatewayError)
    return found


def example(status: int, code: str) -> GatewayError:
    make = class_of(code)
    return make(*ANSWERS[status][code], **KEYWORDS.get(code, {}))


def test_every_code_of_the_table_has_a_class_and_no_other_has() -> None:
    assert [(error.status, error.code) for error in GatewayError.every()] == sorted(CODES)


@for_each(("status", "code"), CODES)
def test_an_answer_is_one_filled_sentence_and_its_code(status: int, code: str) -> None:
    error = example(status, code)

    assert error.status == status
    body = json.loads(json.dumps(error.body()))
    assert body["code"] == code
    assert re.fullmatch(r"[A-Z].*\.", body["detail"])
    assert "{" not in body["detail"]
    assert str(error) == body["detail"]


@for_each(("status", "code"), CODES)
def test_the_tree_in_the_docstring_shows_every_class(status: int, code: str) -> None:
    assert re.search(rf"─ {class_of(code).__name__}\b.*\b{code}\b", errors.__doc__ or "")


@for_each("code", ANSWERS[401])
def test_401_names_the_scheme(code: str) -> None:
    assert example(401, code).headers() == {"WWW-Authenticate": "Bearer"}


def test_a_missing_scope_is_named() -> None:
    error = example(403, "missing_scope")
    assert error.body()["required_scope"] == "admin:read"
    assert "admin:read" in error.detail


def test_retry_after_is_whole_seconds_and_never_zero() -> None:
    late = errors.RateLimitedError(retry_after=2.1)
    assert late.headers() == {"Retry-After": "3"}
    assert late.body()["retry_after"] == 3
    assert errors.RateLimitedError(retry_after=0).headers() == {"Retry-After": "1"}


def test_nobody_is_told_to_wait_longer_than_a_client_can() -> None:
    used_up = errors.PlanLimitReachedError(
        "free",
        "messages_per_month",
        1000,
        now=datetime(2026, 1, 1, tzinfo=UTC),
        resets_at=datetime(2026, 2, 1, tzinfo=UTC),
    )
    kept = errors.PlanLimitReachedError("free", "accounts", 1, now=datetime(2026, 1, 1, tzinfo=UTC))
    for error in (used_up, errors.UnavailableError(retry_after=9000)):
        assert error.headers() == {"Retry-After": "60"}
        assert error.body()["retry_after"] == 60
    assert kept.headers() == {}, "waiting changes nothing"
    assert "retry_after" not in kept.body()
    assert used_up.body()["resets_at"] == "2026-02-01T00:00:00Z"
    assert "It resets at 2026-02-01T00:00:00Z." in used_up.detail


@for_each(("status", "code"), CODES)
def test_what_an_idempotency_key_keeps_is_said_by_the_error(status: int, code: str) -> None:
    assert class_of(code).is_final is (code in KEPT)


def test_unavailable_says_whether_something_may_be_stored() -> None:
    error = errors.UnavailableError(retry_after=5, maybe_stored=True)
    assert error.body()["maybe_stored"] is True
    assert error.headers() == {"Retry-After": "5"}
    assert errors.UnavailableError().body()["maybe_stored"] is False


def test_405_names_the_methods() -> None:
    assert example(405, "method_not_allowed").headers() == {"Allow": "GET, HEAD"}


def test_braces_in_a_callers_words_are_harmless() -> None:
    assert "{0} {x}" in errors.NetworkRefusedError("{0} {x}").detail
    assert "{session_name}" in errors.SessionNotFoundError("{session_name}").detail


def test_invalid_input_has_the_shape_of_a_validation_error() -> None:
    error = InvalidInputError(
        InputProblem(("body", "participants", 2), "not a phone number", input="abc"),
        InputProblem(("header", "Idempotency-Key"), "used before", "idempotency", ctx={"n": 1}),
    )
    assert error.body() == {
        "detail": [
            {
                "type": "value_error",
                "loc": ["body", "participants", 2],
                "msg": "not a phone number",
                "input": "abc",
            },
            {
                "type": "idempotency",
                "loc": ["header", "Idempotency-Key"],
                "msg": "used before",
                "ctx": {"n": 1},
            },
        ]
    }
    assert str(error).startswith("body.participants.2: not a phone number; header.")


def test_an_input_of_none_is_shown_and_no_input_is_not() -> None:
    shown = InvalidInputError.at(("body",), "wrong", input=None).body()["detail"]
    hidden = InvalidInputError.at(("body",), "wrong").body()["detail"]
    assert shown == [{"type": "value_error", "loc": ["body"], "msg": "wrong", "input": None}]
    assert hidden == [{"type": "value_error", "loc": ["body"], "msg": "wrong"}]


def test_a_configuration_error_says_what_and_how_to_mend_it() -> None:
    error = ConfigurationError("Port 8000 is taken.", remedy="Set another.", setting="X_PORT")
    assert str(error) == "Port 8000 is taken. Set another."
    assert (error.problem, error.remedy, error.setting) == (
        "Port 8000 is taken.",
        "Set another.",
        "X_PORT",
    )
