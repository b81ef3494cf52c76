"""What needs no key or session, asked for again and again from one address."""

import httpx
import pytest

from heliograph import __version__
from heliograph.settings import RateLimitSettings, ServerSettings, Settings
from live_gateway import LiveGateway, StartGateway

pytest_plugins = ("live_fixtures",)
LIMIT = 5
NOBODY = "0198a2c4-5b1e-7d3f-8a6b-9c0d1e2f3a4b"
SETTINGS = Settings(
    server=ServerSettings.model_validate(
        {"trusted_proxies": "127.0.0.1", "public_url": "https://gateway.example"}
    ),
    rate_limit=RateLimitSettings(address=LIMIT),
)
STATS = "/api/v1/messages/stats/summary"
OPEN = [
    ("GET", "/docs", 200),
    ("GET", "/docs/swagger-ui.css", 200),
    ("GET", "/openapi.json", 200),
    ("GET", "/help/nothing", 404),
    ("GET", "/nothing", 404),
    ("GET", "/metrics", 403),
    ("GET", "/media/pictures/x", 404),
    ("GET", STATS, 401),
    ("POST", "/api/v1/contacts/sync", 401),
    ("POST", "/mcp", 401),
    ("GET", "/mcp", 405),
    ("GET", "/dashboard", 303),
    ("GET", f"/dashboard/{NOBODY}/inbox", 303),
    ("POST", f"/dashboard/{NOBODY}/devices/connect", 303),
    ("GET", "/dashboard/sign-in", 200),
    ("GET", f"/dashboard/invitations/{NOBODY}/{NOBODY}", 404),
    ("GET", f"/dashboard/static/{__version__}/style.css", 200),
    ("GET", "/dashboard/nothing", 404),
]


@pytest.fixture(scope="module")
def gateway(start_gateway: StartGateway) -> LiveGateway:
    return start_gateway(SETTINGS)


class Caller:
    """A client that a trusted proxy names."""

    last_octet = 0

    def __init__(self, gateway: LiveGateway) -> None:
        Caller.last_octet += 1
        self.address = f"203.0.113.{Caller.last_octet}"
        self._base_url = gateway.base_url

    def ask(self, method: str, path: str, **headers: str) -> httpx.Response:
        headers = {"X-Forwarded-For": self.address, "Host": self._base_url[7:]} | headers
        return httpx.request(method, self._base_url + path, headers=headers, timeout=20)


@pytest.fixture
def caller(gateway: LiveGateway) -> Caller:
    return Caller(gateway)


@pytest.mark.parametrize(("method", "path", "status"), OPEN)
def test_an_address_has_so_many_a_minute(
    gateway: LiveGateway, caller: Caller, method: str, path: str, status: int
) -> None:
    answers = [caller.ask(method, path) for _ in range(LIMIT + 1)]
    assert [answer.status_code for answer in answers] == [status] * LIMIT + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert Caller(gateway).ask(method, path).status_code == status, "another address"


@pytest.mark.parametrize("path", ["/dashboard/sign-in/start", "/dashboard/callback"])
def test_a_step_of_a_sign_in_counts_as_several(caller: Caller, path: str) -> None:
    assert caller.ask("GET", path).status_code != 429
    assert caller.ask("GET", path).status_code == 429


def test_a_program_is_told_which_limit_it_was(caller: Caller) -> None:
    for _ in range(LIMIT + 1):
        refused = caller.ask("GET", STATS)
    assert refused.json()["code"] == "rate_limited"
    assert refused.json()["limit"] == "address"
    assert refused.json()["retry_after"] == int(refused.headers["retry-after"])
    assert refused.json()["detail"].startswith("Clients at your address have sent too many")
    assert refused.headers["ratelimit"].startswith('"address";r=0;t=')
    assert refused.headers["ratelimit-policy"] == f'"address";q={LIMIT};w=60'


def test_a_person_is_told_on_a_page(caller: Caller) -> None:
    for _ in range(LIMIT + 1):
        refused = caller.ask("GET", "/dashboard/sign-in")
    assert refused.headers["content-type"].startswith("text/html")
    assert "One moment, please" in refused.text


def test_who_has_a_key_goes_on(gateway: LiveGateway, caller: Caller) -> None:
    for _ in range(LIMIT + 1):
        wrong = caller.ask("GET", STATS, Authorization=f"Bearer {gateway.demo.api_key[:-1]}")
    assert wrong.status_code == 429
    for _ in range(3 * LIMIT):
        right = caller.ask("GET", STATS, Authorization=f"Bearer {gateway.demo.api_key}")
        assert right.status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_load_balancer_is_never_refused(caller: Caller, path: str) -> None:
    assert {caller.ask("GET", path).status_code for _ in range(10 * LIMIT)} == {200}


def test_a_proxy_that_names_nobody_speaks_for_many_and_sees_no_metrics(
    gateway: LiveGateway,
) -> None:
    """It looks like a client on this machine, and others reach this gateway."""
    with httpx.Client(base_url=gateway.base_url, timeout=60) as proxy:
        answers = [proxy.get("/metrics") for _ in range(10 * LIMIT + 1)]
    assert {answer.json()["code"] for answer in answers[:-1]} == {"metrics_token_not_set"}
    assert (answers[-1].status_code, answers[-1].json()["limit"]) == (429, "address")


def test_a_gateway_that_others_reach_has_no_endpoint_to_try_out(caller: Caller) -> None:
    assert caller.ask("POST", "/try-out").status_code == 404


def test_only_the_last_proxy_is_believed(caller: Caller) -> None:
    named = [f"198.51.100.{number}, {caller.address}" for number in range(LIMIT + 1)]
    answers = [caller.ask("GET", "/docs", **{"X-Forwarded-For": address}) for address in named]
    assert answers[-1].status_code == 429
