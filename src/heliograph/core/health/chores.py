"""The check of chores, which nodes do by themselves: whether one fails, on any node."""

from collections.abc import Sequence

from heliograph.core.cluster.chores_sql import FailingChore
from heliograph.core.health.model import Check, ok, warning

NAME = "chores"
_REMEDY = (
    "Fix the cause; the log has each failure with its traceback. This warning ends once the "
    "chore succeeds; `heliograph clean-up` runs the clean-up now."
)


def check_chores(failing: Sequence[FailingChore]) -> Check:
    """Check that no chore fails; `failing` begins with the one that has failed longest."""
    if not failing:
        return ok(NAME, "Every chore succeeds.")
    listed = "; ".join(
        f"{each.chore} since {each.failing_since:%Y-%m-%d %H:%M} UTC ({each.failure.rstrip('.')})"
        for each in failing
    )
    return warning(NAME, f"Chores fail: {listed}.", _REMEDY)
