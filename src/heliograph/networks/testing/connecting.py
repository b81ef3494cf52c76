"""The account's connection: cut, logged out, closed, replaced."""

import asyncio

import pytest

from heliograph.networks.errors import LoggedOutError, NetworkError
from heliograph.networks.port import AccountStatus, Inbound, SessionState
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.recorder import Recorder
from heliograph.networks.testing.suite import Suite

SETTLING_TIMEOUT = 3.0
"""Seconds within which two sessions of one account would begin to displace each other."""


class Connecting(Suite):
    async def test_a_cut_connection_comes_back_by_itself(
        self, harness: Harness, one: Connected
    ) -> None:
        await harness.cut(one)

        dropped = await one.events.status(AccountStatus.DISCONNECTED)
        await one.events.status(AccountStatus.CONNECTING)
        await one.events.status(AccountStatus.CONNECTED)
        assert dropped.reason
        await one.send(harness.person, "back again")

    async def test_an_account_logged_out_by_the_network_stays_out(
        self, harness: Harness, one: Connected
    ) -> None:
        await harness.expel(one)

        state = await one.events.status(AccountStatus.LOGGED_OUT)
        assert state.reason
        with pytest.raises(LoggedOutError):
            await one.session.ping()
        with pytest.raises(LoggedOutError):
            await one.send(harness.person, "too late")

    async def test_logging_out_ends_the_registration(
        self, harness: Harness, one: Connected
    ) -> None:
        await one.session.log_out()

        await one.events.status(AccountStatus.LOGGED_OUT)
        with pytest.raises(LoggedOutError):
            await one.session.ping()
        if harness.password_lasts:
            return
        again = await harness.network.connect(one.account, events := Recorder())
        await events.status(AccountStatus.LOGGED_OUT)
        await again.close()

    async def test_a_closed_session_reports_nothing_more(
        self, harness: Harness, one: Connected
    ) -> None:
        await one.session.close()
        before = len(one.events.events)

        await harness.say(one, harness.person, "psst")
        await asyncio.sleep(0.05)

        assert len(one.events.events) == before

    async def test_a_closed_session_leaves_no_connection(
        self, harness: Harness, one: Connected
    ) -> None:
        if await harness.has_connection(one) is None:
            pytest.skip("the harness can't tell")
        assert await harness.has_connection(one)

        await one.session.close()

        async with one.events.waiting("the end of the connection"):
            while await harness.has_connection(one):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)

    async def test_the_newer_session_of_an_account_replaces_the_older(
        self, harness: Harness, one: Connected
    ) -> None:
        newer = await harness.connected(one.account)

        await one.events.status(AccountStatus.DISCONNECTED)
        with pytest.raises(NetworkError):
            await one.session.ping()
        await newer.session.ping()
        await harness.say(newer, harness.person, "who hears me?")
        await newer.events.next(Inbound)
        assert one.events.all(Inbound) == []

    async def test_a_replaced_session_does_not_fight(
        self, harness: Harness, one: Connected
    ) -> None:
        newer = await harness.connected(one.account)
        await one.events.status(AccountStatus.DISCONNECTED)

        await asyncio.sleep(SETTLING_TIMEOUT)

        states = [state.status for state in newer.events.all(SessionState)]
        # the older session may try once, since it still holds its lease here
        is_quiet = states.count(AccountStatus.DISCONNECTED) <= 1
        assert is_quiet, "the older session comes back again and again"
        assert states[-1] is AccountStatus.CONNECTED
        await newer.session.ping()
