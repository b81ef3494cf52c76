"""One-time codes for the demo's sign-in."""

from pathlib import Path

import pytest

from heliograph.faces.local_sign_in.codes import (
    MOST_WRONG,
    WITHIN,
    Codes,
    TooManyTriesError,
    make_code,
    read_code,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


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
    clock, told = Clock(), list[str]()
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


def test_nobody_guesses_for_long(path: Path) -> None:
    clock = Clock()
    codes = Codes(path, lambda _: None, clock)
    for _ in range(MOST_WRONG):
        assert not codes.use("AAAA-AAAA", "one")
    with pytest.raises(TooManyTriesError):
        codes.use(current(path), "one")
    clock.now = WITHIN
    assert codes.use(current(path), "one")
