"""A proxy that nobody has named is told of in the log."""

import httpx
import pytest

from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.faces.api.unnamed_proxies import UnnamedProxies
from heliograph.settings import ServerSettings, Settings
from live_gateway import StartGateway
from moved_clock import MovedClock

pytest_plugins = ("live_fixtures",)
TOLD = "requests come through a proxy that is not named"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "10.1.2.3", "::ffff:192.168.0.9", None])
def test_it_is_told_once_an_hour(capsys: pytest.CaptureFixture[str], host: str | None) -> None:
    clock = MovedClock()
    proxies = UnnamedProxies(ClientAddresses(), clock)
    for clock.now in (0.0, 1.0, 3599.0, 3601.0):
        proxies.notice(host)
    assert capsys.readouterr().out.count(TOLD) == 2


def test_nothing_is_told_of_a_proxy_that_is_named_or_of_a_stranger(
    capsys: pytest.CaptureFixture[str],
) -> None:
    networks = Settings(
        server=ServerSettings.model_validate({"trusted_proxies": "127.0.0.1,10.0.0.0/8"})
    ).server.trusted_proxies
    proxies = UnnamedProxies(ClientAddresses(networks))
    for host in ("127.0.0.1", "10.1.2.3", "8.8.8.8", "2606:4700::1", "nonsense"):
        proxies.notice(host)
    assert TOLD not in capsys.readouterr().out


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_a_request_through_an_unnamed_proxy_is_told_of(
    start_gateway: StartGateway, capsys: pytest.CaptureFixture[str], header: str
) -> None:
    gateway = start_gateway()
    for headers in ({}, {header: "198.51.100.1"}, {header: "198.51.100.2"}):
        httpx.get(f"{gateway.base_url}/healthz", headers=headers, timeout=60)
        assert (TOLD in capsys.readouterr().out) is (headers == {header: "198.51.100.1"})
