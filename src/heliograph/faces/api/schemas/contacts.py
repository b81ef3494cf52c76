"""Synchronising contacts; profile pictures."""

from uuid import UUID

from pydantic import BaseModel, Field

from heliograph.core.contacts.service import PictureRecord, SyncRecord
from heliograph.faces.api.schemas.extensible_enums import PictureType
from heliograph.faces.api.schemas.fields import with_example
from heliograph.faces.api.schemas.records import describes


class SyncContacts(BaseModel):
    """The account whose contacts are to be read."""

    model_config = with_example({"chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"})

    chat_account_id: UUID = Field(description="The connected account to synchronise.")


@describes(SyncRecord)
class SyncStarted(BaseModel):
    model_config = with_example(
        {
            "success": True,
            "message": "The contact synchronisation has started.",
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
