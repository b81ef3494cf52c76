"""The participants that a request names: who they are, and their addresses on the network.

They are read in pieces: a thousand numbers as people write them take 70 ms.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from heliograph.core.accounts.model import Account
from heliograph.errors import InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks.addresses import get_address, recipient_of
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.phone_numbers import READ_AT_ONCE, PhoneNumberError
from heliograph.networks.port import Network
from heliograph.platform.aio.pieces import in_pieces

Location = tuple[str | int, ...]
_IN_BODY: Location = ("body", "participants")


class NamedAddress(NamedTuple):
    """A normalized phone number or JID, and where and how the request names it."""

    address: str
    location: Location
    given: str


async def read_addresses(
    participants: Sequence[str], location: Location = _IN_BODY
) -> list[NamedAddress]:
    """Read phone numbers and JIDs as people write them.

    Raises `InvalidInputError`, which names everyone who is neither.
    """
    addresses: list[NamedAddress] = []
    problems: list[InputProblem] = []
    async for index, given in in_pieces(enumerate(participants), READ_AT_ONCE):
        there = (*location, index) if location == _IN_BODY else location
        try:
            addresses.append(NamedAddress(get_address(given), there, given))
        except PhoneNumberError as error:
            ctx: dict[str, object] = {"reason": error.reason}
            problem = f"Value error, {error.reason}"
            problems.append(InputProblem(there, problem, input=given, ctx=ctx))
    if problems:
        raise InvalidInputError(*problems)
    return addresses


async def find_recipients(
    network: Network, account: Account, addresses: Sequence[NamedAddress]
) -> Mapping[str, tuple[int, str]]:
    """Return the network's addresses in the order given and without duplicates, each with its
    position in the request and the text found there.

    Raises `InvalidInputError` for one that the network can't have, and for too many.
    """
    recipients: dict[str, tuple[int, str]] = {}
    problems: list[InputProblem] = []
    async for index, named in in_pieces(enumerate(addresses), READ_AT_ONCE):
        try:
            recipient = network.recipient(recipient_of(named.address), account.settings)
            recipients.setdefault(recipient, (index, named.given))
        except InvalidAddressError as error:
            problems.append(InputProblem(named.location, error.reason, input=named.given))
    if problems:
        raise InvalidInputError(*problems)
    limit = network.capabilities.max_participants
    if len(recipients) > limit:
        raise InvalidInputError.at(_IN_BODY, f"{network.title} takes at most {limit} participants")
    return recipients
