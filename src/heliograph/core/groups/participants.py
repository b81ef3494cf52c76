"""The participants that a request names, and their addresses on the network."""

from collections.abc import Mapping, Sequence

from heliograph.core.accounts.model import Account
from heliograph.errors import InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks.addresses import READ_AT_ONCE, get_address, read_each, recipient_of
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.port import Network
from heliograph.platform.aio.pieces import in_pieces

_LOCATION = ("body", "participants")


async def read_participants(participants: Sequence[str]) -> list[str]:
    """Return phone numbers as `+` and digits, and JIDs. Raises `InvalidInputError`."""
    return await read_each(get_address, participants, _LOCATION)


async def find_recipients(
    network: Network, account: Account, participants: Sequence[str], addresses: Sequence[str]
) -> Mapping[str, tuple[int, str]]:
    """Return the network's addresses in the order given and without duplicates, each with its
    position in the request and the text found there. `addresses` is what was read of the texts.

    Raises `InvalidInputError` for those that can be no address of the network, and for too many.
    """
    recipients: dict[str, tuple[int, str]] = {}
    problems: list[InputProblem] = []
    texts = zip(participants, addresses, strict=True)
    async for index, (text, address) in in_pieces(enumerate(texts), READ_AT_ONCE):
        try:
            recipient = network.recipient(recipient_of(address), account.settings)
            recipients.setdefault(recipient, (index, text))
        except InvalidAddressError as error:
            problems.append(InputProblem((*_LOCATION, index), error.reason, input=text))
    if problems:
        raise InvalidInputError(*problems)
    limit = network.capabilities.max_participants
    if len(recipients) > limit:
        problem = f"{network.title} takes at most {limit} participants"
        raise InvalidInputError.at(_LOCATION, problem)
    return recipients
