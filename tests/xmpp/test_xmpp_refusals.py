"""Which of a server's refusals are for good: what may pass is asked again (RFC 6120, 8.3.3)."""

import pytest

from each_case import for_each
from heliograph.networks.xmpp.groups import invite_error
from heliograph.networks.xmpp.stanzas import AnswerError, Refusal

REFUSALS = [
    ("not-allowed", "cancel", True),
    ("forbidden", "auth", True),
    ("not-acceptable", "modify", True),
    ("resource-constraint", "wait", False),
    ("remote-server-timeout", "cancel", False),
    ("internal-server-error", "cancel", False),
]


@for_each(("condition", "kind", "permanent"), REFUSALS)
def test_what_may_pass_is_not_for_good(condition: str, kind: str, permanent: bool) -> None:
    assert AnswerError(Refusal(condition, kind, "")).permanent is permanent


@pytest.mark.parametrize(
    ("condition", "kind", "permanent"),
    [("resource-constraint", "wait", False), ("not-acceptable", "modify", True)],
)
def test_a_group_that_takes_nobody_just_now_may_later(
    condition: str, kind: str, permanent: bool
) -> None:
    assert invite_error(Refusal(condition, kind, "")).permanent is permanent
