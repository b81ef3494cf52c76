"""Phone numbers as people write them, whole and in part."""

import pytest

from heliograph.networks.phone_numbers import partial_phone_digits, phone_digits


@pytest.mark.parametrize(
    "typed",
    [
        "010 0003",
        "+010.0003",
        "(010) 00-03",
        "[010] 00/03",
        "010\u00a000\u202f03",
        "010\u201000\u201403",
        "010\u201100\u201503",
        "\uff10\uff11\uff10 \uff0b0003",
    ],
)
def test_a_part_of_a_number_is_found_however_it_is_typed(typed: str) -> None:
    assert partial_phone_digits(typed) == "0100003"


@pytest.mark.parametrize("typed", ["", " ", "+", "()", "49x30", "49@30", "\u0664\u0669"])
def test_what_is_no_part_of_a_number_is_none(typed: str) -> None:
    assert partial_phone_digits(typed) is None


@pytest.mark.parametrize("address", ["+1 (555) 010-0003", "[1] 555.010\u20130003"])
def test_a_whole_number_is_a_part_of_itself(address: str) -> None:
    assert partial_phone_digits(address) == phone_digits(address) == "15550100003"
