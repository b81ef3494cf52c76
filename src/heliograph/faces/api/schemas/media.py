"""Files to send."""

from typing import Any

from pydantic import BaseModel, Field

from heliograph.core.media.model import MediaRecord
from heliograph.faces.api.schemas.fields import NEXT_CURSOR, with_example
from heliograph.faces.api.schemas.records import describes

FILE_BODY: dict[str, Any] = {
    "requestBody": {
        "description": "The file's own bytes, with its media type as `Content-Type`.",
        "required": True,
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


_FILE = {
    "id": "01939b22-1111-7abc-8def-0123456789ab",
    "media_type": "image/png",
    "size": 48213,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "file_name": "map.png",
    "url": "https://gateway.example/media/uploads/…?expires=…&signature=…",
    "expires_at": "2026-12-06T10:00:00Z",
    "created_at": "2025-12-06T10:00:00Z",
    "origin": "upload",
    "chat_account_id": None,
}


@describes(MediaRecord)
class MediaFile(BaseModel):
    model_config = with_example(_FILE)


class MediaList(BaseModel):
    """A page of files, newest first, and the size of all uploads of the organization."""

    model_config = with_example(
        {
            "media": [_FILE],
            "next_cursor": "eyJiZWZvcmUiOiIwMTkzOWIyMi0xMTExLTdhYmMifQ",
            "stored_bytes": 48213,
            "stored_bytes_limit": 1073741824,
        }
    )

    media: list[MediaFile]
    next_cursor: str | None = Field(description=NEXT_CURSOR)
    stored_bytes: int = Field(description="Bytes that the organization's uploads take.")
    stored_bytes_limit: int | None = Field(
        description="`media_bytes` of the organization's plan; null is no limit."
    )
