"""An outage of an account is told once, however its session says it, and its state is what was
told."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from core_scene import Scene
from core_scene import scene as scene
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.states import NOTABLE_OUTAGE, change_state, is_down
from heliograph.core.events.payload_sql import unpack
from heliograph.core.tenants.model import Tenant
from heliograph.networks.port import AccountStatus, SessionState

CONNECTED, CONNECTING = AccountStatus.CONNECTED, AccountStatus.CONNECTING
DISCONNECTED, PAIRING = AccountStatus.DISCONNECTED, AccountStatus.PAIRING
START = datetime(2026, 1, 1, tzinfo=UTC)
ACCOUNT = Account(
    tenant=Tenant(0, uuid4()),
    id=uuid4(),
    network="sandbox",
    name="Front desk",
    session_name="desk",
    status=PAIRING,
    is_primary=True,
    message_logging_enabled=True,
    auto_warmer_enabled=False,
    send_rate=None,
    settings={},
    created_at=START,
    updated_at=START,
    disconnected_since=START,
)


def told(states: Sequence[SessionState]) -> list[tuple[AccountStatus, str | None]]:
    """Return what clients are told when a session reports these, a second after one another."""
    account, events = ACCOUNT, []
    for second, state in enumerate(states):
        account, is_told = change_state(account, state, START + timedelta(seconds=second))
        if is_told:
            events.append((account.status, account.status_reason))
        assert (account.disconnected_since is None) is account.is_connected
        if account.status is not CONNECTING:
            assert account.status is (events[-1][0] if events else PAIRING)
    return events


def lost(reason: str | None = None, *, stays_away: bool = False) -> SessionState:
    return SessionState(DISCONNECTED, reason, stays_away=stays_away)


def test_a_session_that_tries_for_hours_is_told_of_once_however_its_reason_reads() -> None:
    tries = [
        state
        for attempt in range(200)
        for state in (lost(f"No route, try {attempt}."), SessionState(CONNECTING))
    ]
    events = told([SessionState(CONNECTED), *tries, SessionState(CONNECTED), lost()])
    assert events == [
        (CONNECTED, None),
        (DISCONNECTED, "No route, try 0."),
        (CONNECTED, None),
        (DISCONNECTED, None),
    ]


def test_a_ban_within_an_outage_is_told_once_and_a_log_out_too() -> None:
    ban = lost("WhatsApp has banned the account.", stays_away=True)
    events = told(
        [
            SessionState(CONNECTED),
            lost("It closed the connection."),
            SessionState(CONNECTING),
            *[ban, SessionState(CONNECTING), lost("It is away."), ban] * 3,
            SessionState(AccountStatus.LOGGED_OUT, "The phone has removed the device."),
        ]
    )
    assert [reason for _, reason in events] == [
        None,
        "It closed the connection.",
        "WhatsApp has banned the account.",
        "The phone has removed the device.",
    ]


def test_codes_that_nobody_scans_are_told_of_once() -> None:
    nobody = [SessionState(PAIRING), lost("Nobody scanned it."), SessionState(CONNECTING)]
    events = told(nobody * 20)
    assert [status for status, _ in events] == [DISCONNECTED, PAIRING]


def test_a_driver_that_says_connecting_while_it_changes_servers_tells_nothing() -> None:
    assert told([SessionState(CONNECTED), SessionState(CONNECTING)] * 20) == [(CONNECTED, None)]


@given(
    st.lists(
        st.builds(
            SessionState,
            st.sampled_from(AccountStatus),
            st.sampled_from([None, "One.", "Two."]),
            stays_away=st.booleans(),
        )
    )
)
def test_whatever_a_session_reports_no_outage_is_told_twice_for_an_ordinary_reason(
    states: list[SessionState],
) -> None:
    told(states)  # the state is the one that was told last
    plain = [msgspec.structs.replace(state, stays_away=False) for state in states]
    outages = 0
    for status, _ in told(plain):
        outages = outages + 1 if status is DISCONNECTED else outages if status is PAIRING else 0
        assert outages <= 1


def test_a_device_is_down_after_a_minute_in_whatever_state_it_has_no_connection() -> None:
    for status in AccountStatus:
        account = msgspec.structs.replace(ACCOUNT, status=status)
        assert is_down(account, START + NOTABLE_OUTAGE) is (status is not CONNECTED)
        soon = START + NOTABLE_OUTAGE / 2
        assert is_down(account, soon) is (status is AccountStatus.LOGGED_OUT)


async def test_an_outage_goes_on_when_another_node_takes_the_account_over(scene: Scene) -> None:
    await scene.report(SessionState(CONNECTED))
    await scene.report(lost("The line is dead."))
    [before] = await scene.rows("SELECT disconnected_since AS at FROM accounts")
    for attempt in range(3):
        lease = await scene.take_over()
        for state in (lost(f"No answer, {attempt}."), SessionState(CONNECTING), lost()):
            await scene.report(state, lease=lease)
    assert await scene.event_types() == ["device.connected", "device.disconnected"]
    [account] = await scene.rows("SELECT status, status_reason, disconnected_since FROM accounts")
    assert tuple(account) == ("disconnected", "No answer, 2.", before["at"])
    [*_, row] = await scene.rows("SELECT payload FROM events ORDER BY seq")
    assert msgspec.json.decode(unpack(row["payload"]))["data"]["reason"] == "The line is dead."
