"""Networks, as data."""

from pydantic import BaseModel

from heliograph.core.accounts.networks import (
    CapabilitiesRecord,
    FormFieldRecord,
    LimitsRecord,
    NetworkRecord,
)
from heliograph.faces.api.schemas.fields import with_example
from heliograph.faces.api.schemas.records import describe_part, describes

_NETWORK = {
    "name": "whatsapp",
    "title": "WhatsApp (linked device)",
    "capabilities": {
        "content": ["buttons", "text"],
        "changes": ["deleted", "edited", "reaction"],
        "replies": True,
        "mentions": True,
        "create_group": True,
        "join_group": True,
        "manage_groups": True,
        "contacts": True,
        "number_checks": True,
        "pictures": True,
        "typing": True,
        "read_marks": True,
        "deduplicates_by_id": False,
        "pairing_methods": ["qr", "code"],
        "simulator": False,
    },
    "limits": {
        "max_participants": 1024,
        "max_file_bytes": 67108864,
        "edit_seconds": 900,
        "delete_seconds": 172800,
        "send_rate": 30,
    },
    "form": [
        {
            "name": "phone_number",
            "label": "The account's own phone number",
            "kind": "phone_number",
            "required": False,
            "secret": False,
            "default": None,
            "help": "With its country code.",
            "minimum": None,
            "maximum": None,
        }
    ],
}


describe_part(FormFieldRecord, "NetworkFormField")
describe_part(CapabilitiesRecord, "NetworkCapabilities")
describe_part(LimitsRecord, "NetworkLimits")


@describes(NetworkRecord)
class Network(BaseModel):
    model_config = with_example(_NETWORK)


class NetworkList(BaseModel):
    """Every network that is installed here."""

    model_config = with_example({"networks": [_NETWORK]})

    networks: list[Network]
