"""Networks as data: what each can do, and the form that connects an account to it."""

from typing import Annotated, TypedDict

from typing_extensions import Doc

from heliograph.core.accounts.pairing import list_methods
from heliograph.networks.port import FormField, Network


class FormFieldRecord(TypedDict):
    """One field of the form that connects a device; its value is a string, whatever its kind."""

    name: Annotated[str, Doc("The member of `settings`.")]
    label: str
    kind: Annotated[
        str,
        Doc(
            "`text`, `password`, `number` or `boolean`. A number is written as one, a boolean as "
            "`true` or `false`."
        ),
    ]
    required: bool
    secret: Annotated[bool, Doc("Whether the value is encrypted, and never shown again.")]
    default: str | None
    help: str


class CapabilitiesRecord(TypedDict):
    """What a network can do."""

    content: Annotated[list[str], Doc("The kinds of messages that can be sent.")]
    create_group: bool
    join_group: bool
    contacts: Annotated[bool, Doc("Whether an account's contacts can be synchronised.")]
    pictures: Annotated[bool, Doc("Whether profile pictures can be fetched.")]
    deduplicates_by_id: Annotated[
        bool, Doc("Whether the network shows a message that it was sent twice once.")
    ]
    pairing_methods: Annotated[
        list[str],
        Doc("How a device is paired with a phone; none where it just connects."),
    ]
    simulator: Annotated[bool, Doc("Whether its people are virtual, to try things on.")]


class LimitsRecord(TypedDict):
    """The limits of a network."""

    max_participants: Annotated[int, Doc("Of a new group.")]
    send_rate: Annotated[int | None, Doc("Messages a minute of a new device; null is no limit.")]


class NetworkRecord(TypedDict):
    """A chat network that a device can be connected to."""

    name: str
    title: Annotated[str, Doc("What people call it.")]
    capabilities: CapabilitiesRecord
    limits: LimitsRecord
    form: list[FormFieldRecord]


def network_record(network: Network) -> NetworkRecord:
    can = network.capabilities
    return {
        "name": network.name,
        "title": network.title,
        "capabilities": {
            "content": sorted(can.content),
            "create_group": can.create_group,
            "join_group": can.join_group,
            "contacts": can.contacts,
            "pictures": can.pictures,
            "deduplicates_by_id": can.deduplicates_by_id,
            "pairing_methods": list(list_methods(network)),
            "simulator": can.simulator,
        },
        "limits": {"max_participants": can.max_participants, "send_rate": can.send_rate},
        "form": [_field_record(field) for field in network.form],
    }


def _field_record(field: FormField) -> FormFieldRecord:
    return {
        "name": field.name,
        "label": field.label,
        "kind": field.kind,
        "required": field.required,
        "secret": field.secret,
        "default": None if field.secret else field.default,
        "help": field.help,
    }
