"""Standard Webhooks 1.0.0, checked both ways against the `standardwebhooks` library."""

import base64
import time
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from each_case import for_each
from heliograph.core.webhooks.headers import (
    DESCRIBED_HEADERS,
    is_reserved,
    webhook_headers,
    with_custom,
)
from heliograph.platform.crypto import (
    InvalidSignatureError,
    InvalidWebhookSecretError,
    SigningKey,
    generate_webhook_secret,
    sign_webhook,
    verify_webhook,
)

SECRET = generate_webhook_secret()
BODY = '{"type":"message.sent","data":{"content":"héllo"}}'.encode()
NOW = 1_750_000_000


def test_the_example_of_the_specification() -> None:
    headers = sign_webhook(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_32_bytes() -> None:
    assert SECRET.startswith("whsec_")
    assert len(base64.b64decode(SECRET.removeprefix("whsec_"), validate=True)) == 32


@given(st.text(st.characters(exclude_categories=["Cs"])), st.uuids())
def test_the_library_verifies_what_we_sign(body: str, webhook_id: object) -> None:
    headers = sign_webhook([SECRET], str(webhook_id), int(time.time()), body.encode())
    Webhook(SECRET).verify(body.encode(), headers, json_parse=False)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 4_000_000_000))
def test_we_verify_what_the_library_signs(body: str, at: int) -> None:
    moment = datetime.fromtimestamp(at, UTC)
    headers = {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(at),
        "Webhook-Signature": Webhook(SECRET).sign("evt_1", moment, body),
    }
    verify_webhook([SECRET], headers, body.encode(), now=at)


def test_a_key_signs_again_as_it_did_before_and_shows_no_secret() -> None:
    key = SigningKey(SECRET)
    first, other, again = (key.sign("evt_1", str(NOW), body) for body in (BODY, b"", BODY))
    assert first == again != other
    assert first == sign_webhook([SECRET], "evt_1", NOW, BODY)["webhook-signature"]
    assert SECRET not in repr(key)


def test_while_a_secret_is_rotated_both_receivers_are_served() -> None:
    old, new = generate_webhook_secret(), generate_webhook_secret()
    headers = sign_webhook([new, old], "evt_1", int(time.time()), BODY)

    assert len(headers["webhook-signature"].split(" ")) == 2
    for secret in (old, new):
        Webhook(secret).verify(BODY, headers)
        verify_webhook([secret], headers, BODY, now=time.time())
    with pytest.raises(WebhookVerificationError):
        Webhook(generate_webhook_secret()).verify(BODY, headers)


@for_each(
    "change",
    [
        {"webhook-id": "evt_2"},
        {"webhook-timestamp": str(NOW + 1)},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "٣"},
        {"webhook-timestamp": "9" * 5000},
        {"webhook-timestamp": ""},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v2,AAAA nonsense \udcff é"},
        {"webhook-id": "\udcff"},
    ],
)
def test_a_changed_header_is_refused(change: dict[str, str]) -> None:
    headers = sign_webhook([SECRET], "evt_1", NOW, BODY) | change
    with pytest.raises(InvalidSignatureError):
        verify_webhook([SECRET], headers, BODY, now=NOW)


def test_a_changed_body_is_refused() -> None:
    headers = sign_webhook([SECRET], "evt_1", NOW, BODY)
    with pytest.raises(InvalidSignatureError, match="fits"):
        verify_webhook([SECRET], headers, BODY + b" ", now=NOW)


@pytest.mark.parametrize("age", [-300, 0, 300])
def test_five_minutes_either_way_are_taken(age: int) -> None:
    headers = sign_webhook([SECRET], "evt_1", NOW, BODY)
    verify_webhook([SECRET], headers, BODY, now=NOW + age)


@pytest.mark.parametrize(("age", "word"), [(301, "old"), (-301, "future")])
def test_more_than_that_is_a_replay_or_a_wrong_clock(age: int, word: str) -> None:
    headers = sign_webhook([SECRET], "evt_1", NOW, BODY)
    with pytest.raises(InvalidSignatureError, match=word):
        verify_webhook([SECRET], headers, BODY, now=NOW + age)


@for_each(
    "secret",
    [
        "",
        "whsec_",
        pytest.param(SECRET.removeprefix("whsec_"), id="no prefix"),
        "whsec_AAAA",
        "whsec_" + "A" * 500,
        "whsec_é" + "A" * 40,
        "whsec_" + "!" * 43 + "=",
    ],
)
def test_a_malformed_secret_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(InvalidWebhookSecretError) as refused:
        sign_webhook([secret], "evt_1", NOW, BODY)
    assert not secret or secret == "whsec_" or secret not in str(refused.value)


def test_no_secret_is_refused() -> None:
    with pytest.raises(InvalidWebhookSecretError):
        sign_webhook([], "evt_1", NOW, BODY)


def test_what_is_sent_is_what_the_description_names() -> None:
    headers = webhook_headers(
        [SigningKey(SECRET)], UUID(int=1), BODY, datetime.fromtimestamp(NOW, UTC)
    )
    assert headers.keys() == {*DESCRIBED_HEADERS, "content-type"}
    assert all(map(is_reserved, headers))


def test_no_stored_header_has_a_name_that_was_reserved_later() -> None:
    ours = {"webhook-id": "1", "content-type": "application/json"}
    stored = {"WEBHOOK-ID": "forged", "Content-Type": "forged", "VIA": "forged", "X-Team": "orders"}
    assert with_custom(ours, stored) == {"X-Team": "orders", **ours}
