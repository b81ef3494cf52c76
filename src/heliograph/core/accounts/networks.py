"""Networks as data: their capabilities, and the forms that connect accounts."""

from typing import Annotated, TypedDict

from typing_extensions import Doc

from heliograph.core.accounts.pairing import list_methods
from heliograph.core.records import make_record
from heliograph.networks.form import FormField
from heliograph.networks.port import Network


class FormFieldRecord(TypedDict):
    """One field of the form that connects a device; its value is a string, whatever its kind."""

    name: Annotated[str, Doc("The member of `settings`.")]
    label: str
    kind: Annotated[
        str,
        Doc(
            "`text`, `password`, `number`, `integer`, `boolean` or `phone_number`. A number is "
            "written as one, an integer without a point, a boolean as `true` or `false`, a phone "
            "number as people write it; it is kept as `+` and digits."
        ),
    ]
    required: bool
    secret: Annotated[bool, Doc("Whether the value is encrypted, and never shown again.")]
    default: str | None
    help: str
    minimum: Annotated[float | None, Doc("The least number; null is no bound.")]
    maximum: Annotated[float | None, Doc("The largest number; null is no bound.")]


class CapabilitiesRecord(TypedDict):
    """The capabilities of a chat network."""

    content: Annotated[list[str], Doc("The kinds of messages that can be sent.")]
    changes: Annotated[
        list[str],
        Doc("The changes that a sent message allows, of `edited`, `deleted` and `reaction`."),
    ]
    replies: Annotated[bool, Doc("Whether a message can quote another one.")]
    mentions: Annotated[bool, Doc("Whether a text can mention people.")]
    create_group: bool
    join_group: bool
    manage_groups: Annotated[
        bool, Doc("Whether groups can be read, changed and left, and people added and removed.")
    ]
    contacts: Annotated[bool, Doc("Whether an account's contacts can be synchronized.")]
    number_checks: Annotated[bool, Doc("Whether phone numbers can be looked up on the network.")]
    pictures: Annotated[bool, Doc("Whether profile pictures can be fetched.")]
    typing: Annotated[bool, Doc("Whether a typing indicator can be shown.")]
    read_marks: Annotated[bool, Doc("Whether the network sends read receipts.")]
    deduplicates_by_id: Annotated[
        bool, Doc("Whether the network shows a message that was sent twice only once.")
    ]
    pairing_methods: Annotated[
        list[str],
        Doc("The ways to pair a device with a phone; empty if it connects without pairing."),
    ]
    simulator: Annotated[bool, Doc("Whether the network is simulated, with virtual people.")]


class LimitsRecord(TypedDict):
    """The limits of a network."""

    max_participants: Annotated[int, Doc("The largest number of participants of a new group.")]
    max_file_bytes: Annotated[int, Doc("The largest file; the plan may allow less.")]
    edit_seconds: Annotated[
        int | None, Doc("How long after sending a message can be edited; null is no limit.")
    ]
    delete_seconds: Annotated[
        int | None, Doc("How long after sending a message can be deleted; null is no limit.")
    ]
    send_rate: Annotated[int | None, Doc("Messages a minute of a new device; null is no limit.")]


class NetworkRecord(TypedDict):
    """A chat network that a device can be connected to."""

    name: str
    title: Annotated[str, Doc("The name of the network for people.")]
    capabilities: CapabilitiesRecord
    limits: LimitsRecord
    form: list[FormFieldRecord]


def network_record(network: Network) -> NetworkRecord:
    can = network.capabilities
    return {
        "name": network.name,
        "title": network.title,
        "capabilities": make_record(
            CapabilitiesRecord,
            can,
            content=sorted(can.content),
            changes=sorted(can.changes),
            pairing_methods=list(list_methods(network)),
        ),
        "limits": make_record(LimitsRecord, can),
        "form": [_field_record(field) for field in network.form],
    }


def _field_record(field: FormField) -> FormFieldRecord:
    return make_record(FormFieldRecord, field, default=None if field.secret else field.default)
