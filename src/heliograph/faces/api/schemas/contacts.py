"""Synchronising contacts; profile pictures."""

from uuid import UUID

from pydantic import BaseModel, Field

from heliograph.faces.api.schemas.extensible_enums import PictureType, SyncStatus
from heliograph.faces.api.schemas.fields import with_example


class SyncContacts(BaseModel):
    """The account whose contacts are to be read."""

    model_config = with_example({"chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"})

    chat_account_id: UUID = Field(description="The connected account to synchronise.")


class SyncStarted(BaseModel):
    """The job that reads the contacts: a new one, or the one that is running already."""

    model_config = with_example(
        {
            "success": True,
            "message": "The contact synchronisation has started.",
            "job_id": "01939b1f-1111-7222-8333-444455556666",
            "status": "pending",
        }
    )

    success: bool
    message: str
    job_id: str
    status: SyncStatus


class ProfilePicture(BaseModel):
    """A contact's profile picture, from object storage or the chat network."""

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

    contact_id: UUID
    phone_number: str | None = Field(
        default=None, description="`+` and digits when known, else null."
    )
    url: str = Field(description="A signed link that works for one hour.")
    preview: bool = Field(description="True when this is the thumbnail.")
    chat_account_id: UUID
    picture_id: str
    picture_type: PictureType
    cached: bool = Field(default=False, description="True when it came from object storage.")
