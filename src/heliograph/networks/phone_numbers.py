"""Phone numbers as people write them: the one reader of them.

What people see of a number is digits in groups. Invisible characters, and those that only group
digits, are dropped; digits of every script are digits; `00` in front means `+`, and `tel:` (RFC
3966) is understood. What a country's own people dial in front, mostly a zero, is dropped after the
country code, in brackets or not, unless it belongs to the number, as in Italy. What remains unclear
is refused: a guess may reach somebody else.
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import unquote

import phonenumbers

from heliograph.platform.characters import without_invisible

MIN_DIGITS, MAX_DIGITS = 5, 15
"""Digits with the country code (E.164 allows 15)."""
_MAX_TEXT_LENGTH = 200
"""Characters of a text that may be a number."""
_SHOWN = 50

_PLAIN = re.compile(r"\+?([1-9][0-9]{4,14})", re.ASCII)
_PLUS = dict.fromkeys("+\uff0b\ufe62\u2795", "+")
_SLASHES = dict.fromkeys("/\uff0f\u2044\u2215", "/")
_OPENING = dict.fromkeys("([\uff08\uff3b\ufe59", "(")
_CLOSING = dict.fromkeys(")]\uff09\uff3d\ufe5a", ")")
_DROPPED = dict.fromkeys(
    "\t.\uff0e\u00b7\u2022\u2024\u2027\u2219\u22c5\u30fb\u2212\u02d7\u30fc\uff70\u20e3", ""
)
"""Dots, what looks like a dash and is none by its category, and the frame of keycaps."""
_SIGNS = _PLUS | _SLASHES | _OPENING | _CLOSING | _DROPPED

# nothing is tried twice (`*+`): of many brackets, these patterns would try every division
_WRITTEN = re.compile(
    r"[()]*+(?P<plus>\+?)(?P<code>(?:(?!\(0\))[0-9()/])*+)(?:\(0\)(?P<rest>[0-9()/]*+))?", re.ASCII
)
_SECOND_NUMBER = re.compile(r"/[()]*+[0-9]{0,2}[()]*+\Z", re.ASCII)
"""A slash before two digits at the end names a second number: 10 20/30."""
_TRUNK = re.compile(r"[()]*+(?P<code>[0-9]{1,3})\)*+\((?P<prefix>0[0-9]*|[0-9]\))", re.ASCII)
"""What people dial at home in front of a number, in brackets behind the country code."""
_URI = re.compile(r"\s*tel:(?://)?(?P<number>[^;?]*)(?P<parameters>.*)", re.IGNORECASE | re.DOTALL)
_FURTHER = re.compile(r"(?:;|\?|\A)(?:ext|isub|postd)=", re.IGNORECASE)
_LOCAL = re.compile(r";phone-context=", re.IGNORECASE)
_EXTENSION = re.compile(
    r"[0-9][\s.,;()-]*(?:e?xt?n?|extension|durchwahl|ramal|poste|[pw#,;*])[\s.:=]*[0-9]",
    re.ASCII | re.IGNORECASE,
)


class PhoneNumberError(ValueError):
    """This text is no phone number, or does not say which. `reason` is a sentence that names it.

    `is_national` says that only the country code is missing.
    """

    def __init__(self, reason: str, *, is_national: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_national = is_national


class PhoneNumber(NamedTuple):
    """The digits with the country code, and whether the text says that they have one."""

    digits: str
    is_international: bool


def read_phone_number(text: str) -> PhoneNumber:
    """Read a phone number as people write it, or a `tel:` URI. Raises `PhoneNumberError`."""
    plain = _PLAIN.fullmatch(text)  # most numbers are
    if plain is not None:
        digits = plain[1]
        as_at_home = _may_be_as_at_home(digits)
        return PhoneNumber(_as_from_abroad(digits, text) if as_at_home else digits, text[0] == "+")
    if len(text) > _MAX_TEXT_LENGTH:
        raise PhoneNumberError(f"{_named(text)} is too long for a phone number.")
    match = _WRITTEN.fullmatch(_signs_of(text))
    if match is None or _SECOND_NUMBER.search(match[0]) is not None:
        raise _unclear(text)
    code, rest = _digits_in(match["code"]), match["rest"]
    is_international = bool(match["plus"])
    if not is_international and code.startswith("00"):
        code, is_international = code[2:], True
    digits = code if rest is None else _behind_trunk_zero(code, _digits_in(rest), text)
    checked = _checked(digits, text, is_international)
    if checked == digits and rest is None and _has_trunk_prefix(match["code"], digits):
        raise _unclear(text)
    return PhoneNumber(checked, is_international)


def phone_digits(text: str) -> str | None:
    """Return the digits of a phone number with its country code; None for what is none."""
    try:
        return read_phone_number(text).digits
    except PhoneNumberError:
        return None


def plain_phone_digits(text: str) -> str | None:
    """Return the digits of a number that a program has written, such as in a JID: an optional `+`
    and 5 to 15 digits of which the first is not 0. None for anything else."""
    match = _PLAIN.fullmatch(text)
    return None if match is None else match[1]


def _signs_of(text: str) -> str:
    """Return the digits and signs of the text. Raises `PhoneNumberError` for what has others."""
    uri = _URI.fullmatch(text)
    number = text if uri is None else unquote(uri["number"])
    if uri is not None and _FURTHER.search(uri["parameters"]):
        raise _with_extension(text)
    if uri is not None and "+" not in number and _LOCAL.search(uri["parameters"]):
        raise _unclear(text)
    try:
        return "".join(map(_sign_of, without_invisible(number).strip()))
    except ValueError:
        raise _unclear(text) from None


@lru_cache(1024)  # there are some 700 digits, spaces and dashes
def _sign_of(letter: str) -> str:
    """Return the digit or sign that a letter is; nothing for one that only groups digits. Raises
    `ValueError` for any other."""
    category = unicodedata.category(letter)
    if category == "Nd":
        return str(unicodedata.decimal(letter))
    if category in ("Zs", "Pd"):
        return ""
    if letter not in _SIGNS:
        raise ValueError(f"{letter!r} is not written in a phone number")
    return _SIGNS[letter]


def _digits_in(signs: str) -> str:
    return re.sub(r"[()/]", "", signs)


def _behind_trunk_zero(code: str, rest: str, text: str) -> str:
    """Return the digits of a number with a zero in brackets between its parts. Raises
    `PhoneNumberError` unless the first part is a country code."""
    if not code.isdigit() or int(code) not in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
        raise _unclear(text) if code else _national(text)
    digits = f"{code}0{rest}"
    return digits if _belongs(digits) else code + rest


def _has_trunk_prefix(signs: str, digits: str) -> bool:
    """Return whether a number has in brackets what is only dialed at home, as in +7 (8) 912."""
    match = _TRUNK.match(signs.removeprefix("00"))
    if match is None or _belongs(digits):
        return False
    prefix = match["prefix"].rstrip(")")
    region = phonenumbers.region_code_for_country_code(int(match["code"]))
    return prefix.startswith("0") or prefix == phonenumbers.ndd_prefix_for_region(region, True)


def _belongs(digits: str) -> bool:
    """Return whether the zero behind the country code is a part of the number."""
    if len(digits) > MAX_DIGITS + 1:  # too long with the zero and without it
        return False
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return False
    return bool(number.italian_leading_zero) and phonenumbers.is_valid_number(number)


def _may_be_as_at_home(digits: str) -> bool:
    """Return whether a part after the country code may be one that is only dialed at home. Most
    numbers have none, and this check takes a twentieth of the time of all the country's rules."""
    code, rest = _code_and_rest(digits)
    in_front = _in_front_at_home(code) if code else None
    match = None if in_front is None else in_front.match(rest)
    return rest.startswith("0") or (match is not None and match.end() > 0)


@cache
def _in_front_at_home(code: str) -> re.Pattern[str] | None:
    """Return the pattern of what a country's people dial in front; None where they dial nothing."""
    region = phonenumbers.region_code_for_country_code(int(code))
    rules = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(int(code), region)
    in_front = None if rules is None else rules.national_prefix_for_parsing
    return None if in_front is None else re.compile(in_front)


def _as_from_abroad(digits: str, text: str) -> str:
    """Return the digits that are dialed from abroad: without what, by the country's own rules, is
    only dialed at home after the country code. Raises `PhoneNumberError` where the rules do not
    say what is meant."""
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return digits
    code = str(number.country_code)
    rest = digits[len(code) :]
    written = _exactly(number.country_code, rest)
    dialed = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)[1:]
    is_shorter = len(dialed) < len(digits)
    if other_form(digits) is not None or (is_shorter and phonenumbers.is_valid_number(written)):
        return digits
    is_doubled = rest.startswith("00")
    if is_shorter and not is_doubled and _is_sure(number, written):
        return dialed
    # digits without signs between them are a number as a program wrote it, which may be newer than
    # the country's rules are here
    is_odd = is_doubled or phonenumbers.is_possible_number_with_reason(number) in _MORE
    if rest.startswith(f"00{code}") or ((is_shorter or is_odd) and digits not in text):
        raise _not_from_abroad(text, code)
    return digits


_MORE = (phonenumbers.ValidationResult.TOO_LONG, phonenumbers.ValidationResult.INVALID_LENGTH)


def _exactly(country_code: int | None, rest: str) -> phonenumbers.PhoneNumber:
    zeros = len(rest) - len(rest.lstrip("0"))
    return phonenumbers.PhoneNumber(
        country_code=country_code,
        national_number=int(rest),
        italian_leading_zero=zeros > 0,
        number_of_leading_zeros=zeros or None,
    )


def _is_sure(number: phonenumbers.PhoneNumber, written: phonenumbers.PhoneNumber) -> bool:
    """Return whether `number` is surely meant by `written`, which can be nobody's itself."""
    national = phonenumbers.national_significant_number
    if national(written) == f"0{national(number)}":
        return phonenumbers.is_possible_number(number)
    is_zero_in_front = national(written).startswith("0")
    return phonenumbers.is_valid_number(number) and (
        is_zero_in_front or not phonenumbers.is_possible_number(written)
    )


def _checked(digits: str, text: str, is_international: bool) -> str:
    if digits.startswith("0"):
        raise _unclear(text) if is_international else _national(text)
    if not MIN_DIGITS <= len(digits) <= MAX_DIGITS:
        count = f"{len(digits)} digit{'' if len(digits) == 1 else 's'}"
        raise PhoneNumberError(
            f"{_named(text)} has {count}: a phone number has {MIN_DIGITS} to {MAX_DIGITS} with its "
            "country code."
            if digits
            else f"{_named(text)} is not a phone number of {MIN_DIGITS} to {MAX_DIGITS} digits."
        )
    return _as_from_abroad(digits, text)


def _named(text: str) -> str:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return repr(shown)


def _unclear(text: str) -> PhoneNumberError:
    if _EXTENSION.search(text):
        return _with_extension(text)
    return PhoneNumberError(
        f"{_named(text)} is not a phone number of {MIN_DIGITS} to {MAX_DIGITS} digits: write it "
        "with its country code, such as +44 20 7946 0958."
    )


def _with_extension(text: str) -> PhoneNumberError:
    return PhoneNumberError(
        f"{_named(text)} is more than a phone number: leave out what is dialed afterwards."
    )


def _not_from_abroad(text: str, code: str) -> PhoneNumberError:
    return PhoneNumberError(
        f"{_named(text)} can't be dialed from abroad with +{code}: leave out what is only dialed "
        "within the country, and what is dialed afterwards."
    )


def _national(text: str) -> PhoneNumberError:
    return PhoneNumberError(
        f"{_named(text)} has no country code: write it as from abroad, such as +44 20 7946 0958.",
        is_national=True,
    )


# --- one person, two numbers -----------------------------------------------------------------

_FORMS = (
    (re.compile(r"(55[1-9][1-9])9([6-9][0-9]{7})"), r"\1\2"),
    (re.compile(r"(55[1-9][1-9])([6-9][0-9]{7})"), r"\g<1>9\2"),
    (re.compile(r"(52)1([2-9][0-9]{9})"), r"\1\2"),
    (re.compile(r"(52)([2-9][0-9]{9})"), r"\g<1>1\2"),
    (re.compile(r"(54)9([1-8][0-9]{9})"), r"\1\2"),
    (re.compile(r"(54)([1-8][0-9]{9})"), r"\g<1>9\2"),
)
"""Brazil's mobile numbers gained a ninth digit, Mexico's lost the 1 behind the country code, and
Argentina's have a 9 there from abroad. People write both forms, and a network has one of them."""


def other_form(number: str) -> str | None:
    """Return the other number under which the same phone is known, written as this one: with `+` or
    without. None where there is none."""
    plus, digits = number[: number.startswith("+")], number.removeprefix("+")
    for pattern, other in _FORMS:
        match = pattern.fullmatch(digits)
        if match is not None:
            return plus + match.expand(other)
    return None


def forms_of(number: str) -> tuple[str, ...]:
    """Return the number, and the other one under which the same phone is known, if any."""
    other = other_form(number)
    return (number,) if other is None else (number, other)


# --- parts of numbers ------------------------------------------------------------------------

_MIN_SEARCHED = 3


def partial_phone_digits(text: str) -> str | None:
    """Return the digits of a part of a phone number that somebody looks for, without what is only
    dialed in front of them; None if it is not part of one. A country code alone keeps its `+`:
    anywhere else in a number, its digits say nothing."""
    whole = phone_digits(text)
    if whole is not None and _is_whole(whole):
        return whole if _is_valid(whole) else "".join(_split_code(whole)) or whole
    try:
        signs = _signs_of(text[:_MAX_TEXT_LENGTH])
    except PhoneNumberError:
        return None
    digits = re.sub(r"[()/+]", "", signs)
    if not (digits.isascii() and digits.isdecimal()):
        return None
    has_code = "(0)" in signs or signs.lstrip("()").startswith(("+", "00"))
    code, national = _split_code(digits.removeprefix("00")) if has_code else ("", "")
    part = code + national or digits.lstrip("0")
    if len(part) >= _MIN_SEARCHED:
        return part
    return f"+{part}" if code else digits


def _is_whole(digits: str) -> bool:
    try:
        reason = phonenumbers.is_possible_number_with_reason(phonenumbers.parse(f"+{digits}"))
    except phonenumbers.NumberParseException:
        return False
    return reason == phonenumbers.ValidationResult.IS_POSSIBLE


def _is_valid(digits: str) -> bool:
    """Return whether somebody may have the number: not so where it begins with a zero that is
    dialed at home, though it is as long as a number of its country may be."""
    return phonenumbers.is_valid_number(phonenumbers.parse(f"+{digits}"))


def _split_code(digits: str) -> tuple[str, str]:
    """Return the country code with which the digits begin, and what follows it without the zero
    that is only dialed at home; two empty texts if they begin with none."""
    code, rest = _code_and_rest(digits)
    if not code:
        return "", ""
    region = phonenumbers.region_code_for_country_code(int(code))
    prefix = phonenumbers.ndd_prefix_for_region(region, True) or ""
    return code, rest.removeprefix(prefix) if prefix.startswith("0") else rest


def _code_and_rest(digits: str) -> tuple[str, str]:
    """Return the country code with which the digits begin, or "", and what follows it."""
    for length in (1, 2, 3):
        code = digits[:length]
        if code[:1] not in ("", "0") and int(code) in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
            return code, digits[length:]
    return "", digits


def searched_digits(text: str) -> str | None:
    """Return the digits to look for in phone numbers, of a text that somebody searches for; None if
    it is no part of a number, or too short to tell one from another."""
    digits = partial_phone_digits(text)
    return digits if digits is not None and len(digits) >= _MIN_SEARCHED else None
