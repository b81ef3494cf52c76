"""How devices are found by name and number, and sorted."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.core.accounts.device_list import is_like, name_key, select_devices
from heliograph.core.accounts.model import DeviceName, DeviceQuery


def device(name: str, phone_number: str | None = "+4930901820", n: int = 1) -> DeviceName:
    return DeviceName(UUID(int=n), name, "front-desk", phone_number)


@for_each(
    "typed",
    [
        "+49 30",
        "(+49) 30/9018-20",
        "0 90 18",
        "+4930901820",
        "30\u201190",
        "\uff14\uff19 30",
        "49\u00a030",
        "\u0664\u0669 30",
        "\u202a+49 30\u202c",
    ],
)
def test_a_number_is_found_however_it_is_typed(typed: str) -> None:
    assert is_like(device("Hall"), typed)


@for_each("typed", ["+30", "+", "()", "49x30", "\u00b2\u00b3"])
def test_what_is_another_number_or_none_is_not_found(typed: str) -> None:
    assert not is_like(device("Hall"), typed)
    assert not is_like(device("Hall", None), "49")


@given(st.text(min_size=1))
def test_a_name_is_found_by_itself_in_any_case(name: str) -> None:
    for typed in (name, name.casefold(), name[: len(name) // 2]):
        assert is_like(device(name), typed)


def test_equal_names_stay_in_the_order_in_which_they_come() -> None:
    twins = [device("Hall", n=1), device("Hall", n=2), device("attic", n=3)]
    query = DeviceQuery(sort_by="name", descending=False)
    assert select_devices(query, twins) == [UUID(int=3), UUID(int=1), UUID(int=2)]


def test_numbers_in_names_are_sorted_by_what_they_count() -> None:
    assert sorted(["Desk 10", "desk 9", "Desk 9b"], key=name_key) == [
        "desk 9",
        "Desk 9b",
        "Desk 10",
    ]
