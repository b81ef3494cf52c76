"""Addresses as people write them: phone numbers, which `phone_numbers` reads, and JIDs.

Anything with an `@` is a JID, the network's own address, which only the network can check further.
"""

import re
from collections.abc import Callable, Sequence

from heliograph.errors import InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.platform.aio.pieces import in_pieces
from heliograph.platform.characters import trimmed

READ_AT_ONCE = 16
"""Texts of a list after which other tasks have their turn: a long one takes 0.1 ms."""
_SHOWN = 50
_JID = re.compile(r"[^@\u0000-\u0020\u007f-\u00a0]+@[^\u0000-\u0020\u007f-\u00a0]+")


def is_jid(text: str) -> bool:
    """Return whether this has the form of a JID: text around an `@`, without blanks or controls."""
    return "@" in text and _JID.fullmatch(text) is not None


def recipient_of(address: str) -> str:
    """Return a normalized phone number or JID as networks take it: numbers without their `+`."""
    return address if is_jid(address) else address.removeprefix("+")


def get_phone_number(text: str) -> str:
    """Return the phone number as `+` and digits. Raises `PhoneNumberError`."""
    return f"+{read_phone_number(text).digits}"


def normalize_address(text: str) -> str | None:
    """Return a phone number as `+` and digits, a JID as it is, and None for anything else."""
    try:
        return get_address(text)
    except PhoneNumberError:
        return None


def get_address(text: str) -> str:
    """Return a phone number as `+` and digits, or a JID without what nobody sees around it. Raises
    `PhoneNumberError`."""
    if "@" not in text:
        return get_phone_number(text)
    jid = trimmed(text)
    if not is_jid(jid):
        raise PhoneNumberError(
            f"{text[:_SHOWN]!r} is neither a phone number of 5 to 15 digits nor a JID."
        )
    return jid


async def read_each(
    reader: Callable[[str], str], texts: Sequence[str], location: tuple[str, ...]
) -> list[str]:
    """Read the texts of a list with one of the readers above. `location` is the list's place in the
    request.

    Raises `InvalidInputError`, which names every text that is no address.
    """
    addresses: list[str] = []
    problems: list[InputProblem] = []
    async for place, text in in_pieces(enumerate(texts), READ_AT_ONCE):
        try:
            addresses.append(reader(text))
        except PhoneNumberError as error:
            ctx: dict[str, object] = {"reason": error.reason}
            problem = f"Value error, {error.reason}"
            problems.append(InputProblem((*location, place), problem, input=text, ctx=ctx))
    if problems:
        raise InvalidInputError(*problems)
    return addresses
