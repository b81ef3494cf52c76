"""One-time codes for the demo's sign-in."""

from pathlib import Path

import httpx
import pytest

from heliograph.faces.local_sign_in.app import ProviderAddresses, create_local_sign_in
from heliograph.faces.local_sign_in.codes import DELAY, Codes, make_code, read_code
from local_provider import PUBLIC_URL
from moved_clock import MovedClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "sign-in-code"
    make_code(made)
    return made


def current(path: Path) -> str:
    code = read_code(path)
    assert code is not None
    return code


def test_a_code_is_for_who_runs_the_demo_alone(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    assert len({make_code(path) for _ in range(100)}) == 100
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_code_works_once_and_the_next_is_told(path: Path) -> None:
    told: list[str] = []
    codes = Codes(path, told.append)
    first = current(path)
    assert codes.use(first, "one")
    assert not codes.use(first, "another")
    assert told == [current(path)]
    assert codes.use(told[0], "another")


def test_a_button_that_is_pressed_twice_signs_in_once(path: Path) -> None:
    clock, told = MovedClock(), list[str]()
    codes = Codes(path, told.append, clock)
    first = current(path)
    assert codes.use(first, "one")
    assert codes.use(first, "one")
    assert len(told) == 1
    clock.now = 61
    assert not codes.use(first, "one")


@pytest.mark.parametrize("between", ["-", "", " ", "\n"])
def test_a_code_may_be_typed_as_people_type(path: Path, between: str) -> None:
    typed = f" {current(path).lower().replace('-', between)} "
    assert Codes(path, lambda _: None).use(typed, "one")


@pytest.mark.parametrize("given", ["", "-", "é", "\0", "A" * 5000])
def test_what_is_no_code_is_refused(path: Path, given: str) -> None:
    codes = Codes(path, lambda _: None)
    assert not codes.use(given, "one")
    path.unlink()
    assert not codes.use(given, "one")


async def test_whoever_guesses_waits_and_the_owner_gets_in_meanwhile(path: Path) -> None:
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    place = ProviderAddresses(
        "http://127.0.0.1:9", PUBLIC_URL, "heliograph", f"{PUBLIC_URL}/back", path
    )
    app = create_local_sign_in(place, wait)
    query = {
        "client_id": "heliograph",
        "redirect_uri": f"{PUBLIC_URL}/back",
        "response_type": "code",
        "scope": "openid",
        "code_challenge": "x",
        "code_challenge_method": "S256",
    }
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=place.issuer) as browser:

        async def enter(code: str, email: str = "ada@example.com") -> int:
            form = {"code": code, "email": email}
            return (await browser.post("/authorize", params=query, data=form)).status_code

        assert [await enter("AAAA-AAAA") for _ in range(12)] == [403] * 12
        assert waited == [DELAY] * 12
        code = current(path)
        assert await enter(code) == 303
        assert waited == [DELAY] * 12
        assert await enter(code, "eve@example.com") == 403
        assert await enter(code) == 303  # the same button, pressed twice
