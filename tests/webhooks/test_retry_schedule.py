"""The documented retry schedule, for any randomness and any Retry-After."""

from datetime import timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heliograph.core.webhooks.posting.disabling import DISABLE_AFTER, KEPT_WHILE_DISABLED
from heliograph.core.webhooks.posting.retries import DELAYS, JITTER, MAX_ATTEMPTS, next_delay

ALMOST_ONE = 1 - 2**-53
attempts_left = st.integers(1, MAX_ATTEMPTS - 1)
randoms = st.floats(0, 1, exclude_max=True)
retry_afters = st.none() | st.floats(0)


def test_the_slowest_schedule_ends_before_its_webhook_is_disabled() -> None:
    slowest = [
        next_delay(attempts, random=ALMOST_ONE, retry_after=inf) or 0
        for attempts in range(1, MAX_ATTEMPTS)
    ]
    assert timedelta(seconds=sum(slowest)) < min(DISABLE_AFTER, KEPT_WHILE_DISABLED)


@given(attempts=attempts_left, random=randoms)
def test_a_delay_is_within_a_fifth_of_its_step(attempts: int, random: float) -> None:
    delay = next_delay(attempts, random=random)
    step = DELAYS[attempts - 1]
    assert delay is not None
    assert step * (1 - JITTER) * 0.999 <= delay <= step * (1 + JITTER) * 1.001


@given(attempts=attempts_left)
def test_the_whole_width_of_the_jitter_is_used(attempts: int) -> None:
    least, most = (next_delay(attempts, random=random) for random in (0.0, ALMOST_ONE))
    assert least == pytest.approx(0.8 * DELAYS[attempts - 1])
    assert most == pytest.approx(1.2 * DELAYS[attempts - 1])


@given(attempts=attempts_left, random=randoms, retry_after=st.floats(0))
def test_retry_after_is_kept_up_to_the_next_step(
    attempts: int, random: float, retry_after: float
) -> None:
    plain = next_delay(attempts, random=random)
    asked = next_delay(attempts, random=random, retry_after=retry_after)
    assert plain is not None
    assert asked is not None
    next_step = DELAYS[min(attempts, len(DELAYS) - 1)]
    assert asked >= plain
    assert asked >= min(retry_after, next_step)
    assert asked <= max(plain, next_step)


@given(attempts=st.integers(MAX_ATTEMPTS, 1000), random=randoms, retry_after=retry_afters)
def test_after_the_last_attempt_there_is_no_other(
    attempts: int, random: float, retry_after: float | None
) -> None:
    assert next_delay(attempts, random=random, retry_after=retry_after) is None


@given(attempts=st.integers(-1000, 0))
def test_a_delay_needs_an_attempt_before_it(attempts: int) -> None:
    with pytest.raises(ValueError, match="follows an attempt"):
        next_delay(attempts, random=0.5)
