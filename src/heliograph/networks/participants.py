"""Finding a group's participant by the address or the number that somebody gives."""

from collections.abc import Iterable

from heliograph.networks.phone_numbers import forms_of
from heliograph.networks.port import Participant


def find_participant(
    participants: Iterable[Participant], jid: str, phone_number: str | None
) -> Participant | None:
    """Return the one at this address, else the one with this number in either of its forms."""
    forms = () if phone_number is None else forms_of(phone_number)
    by_number = None
    for participant in participants:
        if participant.remote_jid == jid:
            return participant
        if participant.phone_number in forms:
            by_number = participant
    return by_number
