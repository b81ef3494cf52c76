"""Warm-up: a new number's daily allowance, which grows over its first days."""

from datetime import date

from heliograph.core.accounts.model import Account

# A number that sends a thousand messages on its first day is taken for a spammer's and banned.
FIRST_DAY = 20
GROWTH = 1.8
MAX_ALLOWANCE = 10_000
"""The allowance from which an account without a send rate counts as warm."""

_MINUTES_A_DAY = 24 * 60


def daily_allowance(days: int) -> int:
    """Return the allowance of a day, counted in days from the first: 20, 36, 65, 117, …"""
    return round(min(FIRST_DAY * GROWTH ** min(days, 60), 1e9))


def own_limit(account: Account) -> int:
    """Return how many messages the account may send in a day once it is warm."""
    return MAX_ALLOWANCE if account.send_rate is None else account.send_rate * _MINUTES_A_DAY


def allowance_on(account: Account, today: date) -> int | None:
    """Return how many messages the account may send in all on this day, or None if it is not
    limited: it does not warm up, or is warm."""
    if not account.auto_warmer_enabled or account.warming_since is None:
        return None
    allowance = daily_allowance(max(0, (today - account.warming_since).days))
    return allowance if allowance < own_limit(account) else None


def sent_on(account: Account, today: date) -> int:
    return account.sent_that_day if account.sent_on == today else 0
