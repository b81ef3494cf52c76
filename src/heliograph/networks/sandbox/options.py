"""The form that connects an account to the sandbox, and its values."""

from collections.abc import Mapping
from dataclasses import dataclass

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import FormField
from heliograph.networks.sandbox import addresses
from heliograph.networks.sandbox.phones import MAX_CONTACTS

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
        kind="number",
        default="12",
        help=f"0 to {MAX_CONTACTS} people, from +1 555 010 0001 on.",
    ),
    FormField(
        "delivered_delay", "Seconds until a message is delivered", kind="number", default="0.3"
    ),
    FormField("read_delay", "Seconds from then until it is read", kind="number", default="1.0"),
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
    values = {field.name: settings.get(field.name) or field.default or "" for field in FORM}
    return Options(
        pair_automatically=values["pair_automatically"].lower() in ("true", "1", "yes", "on"),
        own_jid=addresses.address(values["phone_number"]) if values["phone_number"] else None,
        contacts=int(_number(values, "contacts", MAX_CONTACTS)),
        delivered_delay=_number(values, "delivered_delay", 86_400),
        read_delay=_number(values, "read_delay", 86_400),
    )


def _number(values: Mapping[str, str], name: str, most: int) -> float:
    try:
        number = float(values[name])
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        raise NetworkError(f"{name} must be a number from 0 to {most}.", permanent=True)
    return number
