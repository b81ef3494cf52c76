"""Contacts: their records, synchronizing them, profile pictures."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, FiniteFloat, StrictBool, StrictInt, StrictStr
from typing_extensions import TypeAliasType

from heliograph.core.contacts.book import (
    MAX_ATTRIBUTE_NAME,
    MAX_ATTRIBUTE_VALUE,
    MAX_ATTRIBUTES,
    MAX_NAME,
)
from heliograph.core.contacts.serializers import (
    ContactAddressRecord,
    ContactRecord,
    SyncStateRecord,
)
from heliograph.core.contacts.service import PictureRecord, SyncRecord
from heliograph.faces.api.schemas.extensible_enums import PictureType
from heliograph.faces.api.schemas.fields import (
    NEXT_CURSOR,
    NO_NUL,
    UNCHANGED,
    StrictBody,
    with_example,
)
from heliograph.faces.api.schemas.labels import Label  # noqa: F401 - a part of the record
from heliograph.faces.api.schemas.records import describe_part, describes


class SyncContacts(BaseModel):
    """The account whose contacts to fetch."""

    model_config = with_example({"chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"})

    chat_account_id: UUID = Field(description="The connected account to synchronize.")


@describes(SyncRecord)
class SyncStarted(BaseModel):
    model_config = with_example(
        {
            "success": True,
            "message": "The contact synchronization has started.",
            "job_id": "01939b1f-1111-7222-8333-444455556666",
            "status": "pending",
        }
    )


@describes(PictureRecord, {"picture_type": PictureType}, cached=False)
class ProfilePicture(BaseModel):
    model_config = with_example(
        {
            "contact_id": "01939b1e-7fff-7111-8222-333344445555",
            "phone_number": "+5511999990000",
            "url": "https://gateway.example/media/pictures/…?expires=…&signature=…",
            "preview": False,
            "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
            "picture_id": "1733479200",
            "picture_type": "image",
            "cached": True,
        }
    )


@describes(SyncStateRecord)
class SyncState(BaseModel):
    model_config = with_example(
        {
            "job_id": "01939b1f-1111-7222-8333-444455556666",
            "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
            "status": "completed",
            "contacts": 12,
            "error": None,
            "created_at": "2025-12-06T10:00:00.000000Z",
            "started_at": "2025-12-06T10:00:00.050000Z",
            "finished_at": "2025-12-06T10:00:02.000000Z",
        }
    )


_CONTACT = {
    "id": "01939b1e-7fff-7111-8222-333344445555",
    "phone_number": "+5511999990000",
    "name": "Ana Silva",
    "chat_name": "Ana",
    "display_name": "Ana Silva",
    "attributes": {"customer_number": 4711, "newsletter": True},
    "labels": [],
    "addresses": [{"network": "sandbox", "jid": "5511999990000@sandbox"}],
    "profile_picture_url": None,
    "created_at": "2025-12-06T10:00:00.200000Z",
    "updated_at": "2025-12-06T10:00:05.000000Z",
}


describe_part(ContactAddressRecord, "ContactAddress")


ContactAttributes = TypeAliasType(
    "ContactAttributes",
    Annotated[
        dict[str, str | int | float | bool | None],
        Field(description="Your own data about the contact, by name."),
    ],
)


@describes(ContactRecord, {"attributes": ContactAttributes})
class Contact(BaseModel):
    model_config = with_example(_CONTACT)


class ContactList(BaseModel):
    """One page of contacts, newest first. A page of a filtered list may be short, or empty, and
    still have a `next_cursor`."""

    model_config = with_example(
        {"contacts": [_CONTACT], "next_cursor": "eyJjb250YWN0X2lkIjoiMDE5MzliMWUtN2ZmZi03MTExIn0"}
    )

    contacts: list[Contact]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


_AttributeName = Annotated[str, Field(min_length=1, max_length=MAX_ATTRIBUTE_NAME)]
_AttributeText = Annotated[
    StrictStr, Field(max_length=MAX_ATTRIBUTE_VALUE, json_schema_extra=NO_NUL)
]
_Whole = Annotated[StrictInt, Field(gt=-(2**53), lt=2**53)]
_Real = Annotated[FiniteFloat, Field(strict=True, gt=-(2**53), lt=2**53)]


class ChangeContact(StrictBody):
    """The fields to change; those not given stay as they are."""

    model_config = StrictBody.model_config | with_example(
        {"name": "Ana Silva", "attributes": {"customer_number": 4711, "newsletter": True}}
    )

    name: (
        Annotated[str, Field(min_length=1, max_length=MAX_NAME, json_schema_extra=NO_NUL)] | None
    ) = Field(
        default=UNCHANGED,
        description="Your name for the contact, which a phone's address book does not replace; "
        "null goes back to the address book's.",
    )
    attributes: dict[_AttributeName, _AttributeText | StrictBool | _Whole | _Real | None] = Field(
        default=UNCHANGED,
        max_length=MAX_ATTRIBUTES,
        description="Your own data about the contact, which replaces what was there: texts of "
        f"at most {MAX_ATTRIBUTE_VALUE} characters, numbers, true, false and null.",
    )
    label_ids: list[UUID] = Field(
        default=UNCHANGED, max_length=50, description="The complete new list of labels."
    )
