"""Phone numbers as people write them, whole and in part."""

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks import phone_numbers
from heliograph.networks.phone_numbers import (
    PhoneNumberError,
    forms_of,
    other_form,
    partial_phone_digits,
    phone_digits,
    plain_phone_digits,
    read_phone_number,
)

SEEN_AS_THE_SAME = [
    "+15550100001",
    "15550100001",
    "\u202a+1 555 010 0001\u202c",
    "\u200e+15550100001",
    "\u2066+1 (555) 010-0001\u2069",
    "\ufeff+1\u200b555\u2060010\u00ad0001",
    "+1\u00a0555\u202f010\u20090001",
    "\uff0b\uff11 \uff15\uff15\uff15\u3000\uff10\uff11\uff10\uff0d\uff10\uff10\uff10\uff11",
    "+\u0661 \u0665\u0665\u0665 \u0660\u0661\u0660 \u0660\u0660\u0660\u0661",
    "+\u0967-\u096b\u096b\u096b-\u0966\u0967\u0966-\u0966\u0966\u0966\u0967",
    "1\ufe0f\u20e35\ufe0f\u20e35\ufe0f\u20e35\ufe0f\u20e30100001",
    "00 1 555 010 0001",
    "001 (555) 010-0001",
    "\u0660\u06601 555 010 0001",
    "+1.555.010.0001",
    "+1\u00b7555\u2022010\u22120001",
    "+1/555/010/0001",
    "+1\u2013555\u2014010\u20150001",
    "(+1) 555 010 0001",
    "+(1) [555] 010 0001",
    "+1 (0) 555 010 0001",
    "\t+1 555 010 0001\r\n",
    "tel:+1-555-010-0001",
    "TEL:%2B1(555)010-0001",
    "tel:+15550100001;phone-context=example.com",
]
TRUNK_ZEROS = [
    ("+44 (0)20 7946 0958", "442079460958"),
    ("+44(0)2079460958", "442079460958"),
    ("+44 \uff080\uff09 20 7946 0958", "442079460958"),
    ("+44 [0] 20 7946 0958", "442079460958"),
    ("0044 (0)20 7946 0958", "442079460958"),
    ("44 (0) 20 7946 0958", "442079460958"),
    ("+44 (020) 7946 0958", "442079460958"),
    ("+44 020 7946 0958", "442079460958"),
    ("+49 (0) 170 1234567", "491701234567"),
    ("+34 (0)91 123 45 67", "34911234567"),
    ("+39 06 1234567", "39061234567"),
    ("+39 (0)6 1234567", "39061234567"),
    ("+39 (06) 1234567", "39061234567"),
    ("+225 (0)1 23 45 67 89", "2250123456789"),
    ("+54 (9) 11 2345 6789", "5491123456789"),
]
HOME_PREFIXES = [
    ("+54 11 15-2345-6789", "5491123456789"),
    ("+54 (011) 15 2345-6789", "5491123456789"),
    ("0054 (0)11 15 2345 6789", "5491123456789"),
    ("+36 06 1 234 5678", "3612345678"),
    ("+36 (06) 20 123 4567", "36201234567"),
    ("+3606201234567", "36201234567"),
    ("+7 8 495 123-45-67", "74951234567"),
    ("+7 (8) 912 345 67 89", "79123456789"),
    ("784951234567", "74951234567"),
    ("+370 (8) 5 212 3456", "37052123456"),
    ("+370 0 5 212 3456", "37052123456"),
    ("+1 1 212 555 0100", "12125550100"),
    ("+55 0 11 91234 5678", "5511912345678"),
]
BELONGING = [
    "+7 800 555 35 35",
    "+52 1 55 1234 5678",
    "+54 11 2345 6789",
    "+229 01 97 00 00 00",
    "+49 30 1234567-2",
    "+115550100001",
    "+10000000000",
    "+155501000012",
]
UNCLEAR = [
    "",
    " ",
    "+",
    "1234",
    "+1234",
    "1234567890123456",
    "00 123",
    "++15550100001",
    "15550100001+",
    "1+5550100001",
    "+15550100001 +15550100002",
    "+15550100001 / +15550100002",
    "+15550100001, +15550100002",
    "+44 20 7946 0958/59",
    "+15550100001\n15550100002",
    "+15550100001 ext 5",
    "+15550100001x5",
    "+15550100001;5",
    "+15550100001,,5#",
    "+15550100001#5",
    "tel:+15550100001;ext=5",
    "tel:+15550100001;isub=5",
    "tel:7946;phone-context=+44",
    "020 7946 0958",
    "(0)20 7946 0958",
    "(020) 7946 0958",
    "011 44 20 7946 0958",
    "+020 7946 0958",
    "+0044 20 7946 0958",
    "000 44 20 7946 0958",
    "+1 555 (0)10 0001",
    "+999 (0) 12345",
    "+375 (8) 017 123 45 67",
    "+375 8 017 123 45 67",
    "+52 044 55 1234 5678",
    "+52 01 55 1234 5678",
    "+549 11 15 1234-5678",
    "+49 0049 30 1234567",
    "+490049301234567",
    "+44 44 20 7946 0958",
    "+1 011 212 555 0100",
    "+1 1 555 010 0001",
    "+15550100001-2",
    "+15550100001 2",
    "+15550100001 (2)",
    "+7 495 123 45 67 2",
    "0044 20 7946 0958 - 12",
    "+1 800 FLOWERS",
    "+15550100001\u00b2",
    "+1555010000\u2460",
    "12345\x00",
    "call me",
    "12345@example.org",
    "+1 555 010 0001 (home)",
    "\u3164",
]


@for_each("written", SEEN_AS_THE_SAME)
def test_what_looks_like_a_number_is_this_number(written: str) -> None:
    assert phone_digits(written) == "15550100001"


@for_each(("written", "digits"), TRUNK_ZEROS)
def test_a_zero_that_is_dialled_at_home_goes_and_one_that_belongs_to_the_number_stays(
    written: str, digits: str
) -> None:
    assert phone_digits(written) == digits


@for_each(("written", "digits"), HOME_PREFIXES)
def test_what_is_only_dialled_at_home_goes_by_the_rules_of_the_country(
    written: str, digits: str
) -> None:
    assert phone_digits(written) == digits


@for_each("written", BELONGING)
def test_what_may_belong_to_the_number_stays(written: str) -> None:
    assert phone_digits(written) == "".join(filter(str.isdecimal, written))


@for_each("written", UNCLEAR)
def test_what_is_unclear_is_refused_in_a_sentence_that_names_it(written: str) -> None:
    with pytest.raises(PhoneNumberError) as raised:
        read_phone_number(written)
    assert repr(written) in raised.value.reason
    assert raised.value.reason.endswith(".")


@pytest.mark.parametrize("written", ["020 7946 0958", "(0)20 7946 0958", "0170/1234567"])
def test_a_number_as_people_dial_it_at_home_lacks_its_country_code(written: str) -> None:
    with pytest.raises(PhoneNumberError) as raised:
        read_phone_number(written)
    assert raised.value.is_national


@pytest.mark.parametrize(
    ("written", "is_international"),
    [("+15550100001", True), ("0015550100001", True), ("15550100001", False)],
)
def test_a_number_says_whether_it_has_a_country_code(written: str, is_international: bool) -> None:
    assert read_phone_number(written).is_international is is_international


@for_each("end", ["", "x", "+", "+12345x", "1 2 3 4 5" + " " * 1_000_000 + "x"])
def test_a_megabyte_of_blanks_is_no_number(end: str) -> None:
    assert phone_digits(" " * 1_000_000 + end) is None


@pytest.mark.parametrize("text", ["(" * 499 + "x", "/" + "(" * 490 + "123", "1/(" * 160 + "x"])
def test_many_brackets_are_no_number(text: str) -> None:
    """A card has thousands of these, each of which took 20 ms where every division was tried."""
    for _ in range(2_000):
        assert phone_digits(text) is None


@given(
    st.sampled_from(["", "+1", "+7", "+36", "+370", "+39", "+44", "+49", "+52", "+54", "+55"]),
    st.text(alphabet="0123456789+()[]/. -\u200e\u202f\u0661x;,", max_size=40),
)
def test_a_number_that_was_read_reads_as_itself_and_ends_as_it_was_written(
    code: str, rest: str
) -> None:
    digits = phone_digits(code + rest)
    if digits is None:
        return
    assert phone_digits(f"+{digits}") == digits
    assert plain_phone_digits(digits) == digits
    written = "".join(filter(str.isdecimal, (code + rest).replace("\u0661", "1")))
    assert digits[-4:] == written[-4:]
    assert len(digits) <= len(written)


@given(
    st.sampled_from(sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)),
    st.sampled_from(
        ["", "0", "00", "01", "044", "045", "06", "1", "15", "2", "8", "80", "9", "99"]
    ),
    st.text(alphabet="0123456789", min_size=3, max_size=10),
)
def test_a_number_that_a_quick_look_lets_pass_is_the_same_by_all_rules(
    code: int, in_front: str, rest: str
) -> None:
    written = f"+{code}{in_front}{rest}"
    seen = _outcome_of(written)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phone_numbers, "_may_be_as_at_home", lambda digits: True)
        assert _outcome_of(written) == seen


def _outcome_of(written: str) -> str:
    try:
        return read_phone_number(written).digits
    except PhoneNumberError as error:
        return error.reason


@for_each("written", ["0015550100001", "1 555 010 0001", "+1-555-0100001", "1234"])
def test_a_number_that_a_program_wrote_is_digits_alone(written: str) -> None:
    assert plain_phone_digits(written) is None


# --- one phone, two numbers ------------------------------------------------------------------


@for_each(
    ("one", "other"),
    [
        ("+5511988880001", "+551188880001"),
        ("5511988880001", "551188880001"),
        ("+5215512345678", "+525512345678"),
        ("+5491123456789", "+541123456789"),
    ],
)
def test_both_forms_of_a_number_are_known_from_each(one: str, other: str) -> None:
    assert other_form(one) == other
    assert other_form(other) == one
    assert forms_of(one) == (one, other)


@for_each(
    "number",
    ["+15550100001", "+551133334444", "+5511933334444", "+52155123456789", "+5511", "+54112345678"],
)
def test_a_number_of_another_kind_has_one_form(number: str) -> None:
    assert forms_of(number) == (number,)


# --- parts of numbers ------------------------------------------------------------------------


@for_each(
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
        "\u202a010 0003\u202c",
        "\u0660\u0661\u0660 0003",
    ],
)
def test_a_part_of_a_number_is_found_however_it_is_typed(typed: str) -> None:
    assert partial_phone_digits(typed) == "100003"


@for_each(
    ("typed", "searched"),
    [
        ("+44 (0)20", "4420"),
        ("44 (0) 20", "4420"),
        ("+44 020 7", "44207"),
        ("+44 20", "4420"),
        ("0044 20", "4420"),
        ("0044 (0)20", "4420"),
        ("0044", "+44"),
        ("+44", "+44"),
        ("(0)20 7946", "207946"),
        ("020 7946 0958", "2079460958"),
        ("0207", "207"),
        ("001 555", "1555"),
        ("0015", "+15"),
        ("+39 (0)6 12", "390612"),
        ("+39 06", "3906"),
        ("+36 06 1", "361"),
        ("+49 0171", "49171"),
        ("+49 (0)171 1", "491711"),
        ("+43 0664", "43664"),
        ("+44 07911 12", "44791112"),
        ("+225 07 07", "2250707"),
        ("+54 11 15 4444 5555", "5491144445555"),
        ("0003", "0003"),
        ("001", "+1"),
        ("01", "01"),
        ("555", "555"),
    ],
)
def test_what_is_only_dialled_in_front_of_a_part_is_not_searched_for(
    typed: str, searched: str
) -> None:
    assert partial_phone_digits(typed) == searched


@for_each("typed", ["", " ", "+", "()", "49x30", "49@30", "\u00b2\u00b3"])
def test_what_is_no_part_of_a_number_is_none(typed: str) -> None:
    assert partial_phone_digits(typed) is None


@pytest.mark.parametrize(
    "address", ["+1 (555) 010-0003", "[1] 555.010\u20130003", "00 1 5550100003"]
)
def test_a_whole_number_is_a_part_of_itself(address: str) -> None:
    assert partial_phone_digits(address) == phone_digits(address) == "15550100003"
