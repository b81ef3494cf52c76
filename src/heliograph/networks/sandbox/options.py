"""The form that connects an account to the sandbox, and its values."""

from collections.abc import Mapping
from dataclasses import dataclass

from heliograph.networks.form import FormField, read_values
from heliograph.networks.sandbox import addresses
from heliograph.networks.sandbox.phones import MAX_CONTACTS

MAX_DELAY = 24 * 3600

FORM = (
    FormField(
        "pair_automatically",
        "Pair at once",
        kind="boolean",
        default="false",
        help="Skip the QR code: the account is connected as soon as it exists.",
    ),
    FormField(
        "phone_number",
        "The account's own phone number",
        kind="phone_number",
        help="With a number, the account pairs by a code to type; without one, by a QR code.",
    ),
    FormField(
        "contacts",
        "People in the address book",
        kind="integer",
        default="12",
        help=f"0 to {MAX_CONTACTS} people, from +1 555 010 0001 on.",
        minimum=0,
        maximum=MAX_CONTACTS,
    ),
    FormField(
        "delivered_delay",
        "Seconds until a message is delivered",
        kind="number",
        default="0.3",
        minimum=0,
        maximum=MAX_DELAY,
    ),
    FormField(
        "read_delay",
        "Seconds from then until it is read",
        kind="number",
        default="1.0",
        minimum=0,
        maximum=MAX_DELAY,
    ),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The form's values. `own_jid` None: the network picks a number. Delays are in seconds."""

    pair_automatically: bool
    own_jid: str | None
    contacts: int
    delivered_delay: float
    read_delay: float


def read_options(settings: Mapping[str, str]) -> Options:
    """Read the form's values. Raises `NetworkError` for one that the form does not allow."""
    values = read_values(FORM, settings)
    number = values.get("phone_number")
    return Options(
        pair_automatically=values["pair_automatically"] == "true",
        own_jid=addresses.address(number) if number else None,
        contacts=int(values["contacts"]),
        delivered_delay=float(values["delivered_delay"]),
        read_delay=float(values["read_delay"]),
    )
