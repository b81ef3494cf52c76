"""The states of an account: how session reports change them, and which changes are reported to
clients.

An outage begins when an account loses its connection, and lasts until it is connected again or a
person pairs it again. A session that keeps retrying reports `connecting` and `disconnected` in
turns; that is one outage, whichever node holds the session, and it is reported once.
"""

from datetime import datetime, timedelta

from msgspec.structs import replace

from heliograph.core.accounts.model import Account, Restriction, pairing_document
from heliograph.networks.port import AccountStatus, SessionState

NOTABLE_OUTAGE = timedelta(minutes=1)
"""An outage that lasts for this long is shown as a problem."""
_UP = (AccountStatus.CONNECTED, AccountStatus.CONNECTING)
"""The states of an account that was last reported as connected."""


def change_state(account: Account, state: SessionState, now: datetime) -> tuple[Account, bool]:
    """Return the account in the state that its session reports, and whether to report it to
    clients.

    Except for `connecting`, the status is the one last reported to clients.
    """
    is_told = _is_told(account, state)
    status = state.status
    if not is_told and status is not AccountStatus.CONNECTED and account.status not in _UP:
        status = account.status
    is_connected = status is AccountStatus.CONNECTED
    changed = replace(
        account,
        status=status,
        status_reason=_reason(account, state),
        pairing=pairing_document(state.pairing),
        remote_jid=state.remote_jid or account.remote_jid,
        phone_number=state.phone_number or account.phone_number,
        last_connected_at=now if is_connected else account.last_connected_at,
        disconnected_since=None if is_connected else account.disconnected_since or now,
        told_reason=_told_reason(account, state, is_told=is_told),
        updated_at=now,
    )
    return changed, is_told


def _is_told(account: Account, state: SessionState) -> bool:
    match state.status:
        case AccountStatus.CONNECTING:
            return False
        case AccountStatus.CONNECTED:
            return account.status not in _UP
        case AccountStatus.DISCONNECTED if account.told_reason is not None:
            return state.stays_away and (state.reason or "") != account.told_reason
    return state.status is not account.status


def _told_reason(account: Account, state: SessionState, *, is_told: bool) -> str | None:
    if state.status in (AccountStatus.CONNECTED, AccountStatus.LOGGED_OUT):
        return None
    if state.status is AccountStatus.DISCONNECTED and is_told:
        return state.reason or ""
    return account.told_reason


def _reason(account: Account, state: SessionState) -> str | None:
    """Return the reason to show: while a session reconnects, the reason of the last
    disconnection."""
    tries_again = state.status in (AccountStatus.CONNECTING, AccountStatus.DISCONNECTED)
    return account.status_reason if state.reason is None and tries_again else state.reason


def is_down(account: Account, now: datetime) -> bool:
    """Return whether the account is in an outage that is shown as a problem."""
    if account.is_connected:
        return False
    since = account.disconnected_since or account.created_at
    return account.status is AccountStatus.LOGGED_OUT or now - since >= NOTABLE_OUTAGE


def find_restriction(account: Account, now: datetime) -> Restriction | None:
    """Return the restriction in force at this time, or None: the row may hold one that has
    ended."""
    restriction = account.restriction
    return None if restriction is None or restriction.until <= now else restriction
