"""Pictures and media: kept in object storage, handed out by signed links.

A picture's bytes come from a stranger, so they are decoded and written anew; what comes back is
what we wrote.
"""

import asyncio
import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from PIL import Image

from heliograph.crypto import InvalidLinkError, SecretKey, sign_link, verify_link
from heliograph.errors import NotFoundError
from heliograph.model.organizations import Tenant
from heliograph.store.objects import ObjectNotFoundError, Objects

LINK_LIFETIME = timedelta(hours=1)
PATH = "/media/"
MAX_PIXELS = 40_000_000
PREVIEW_SIDE = 96
IMAGE_SIDE = 640
MEDIA_TYPE = "image/jpeg"


class UnusablePictureError(ValueError):
    """The network's bytes are no picture, or one too large to decode."""


@dataclass(frozen=True, slots=True)
class StoredPicture:
    object_key: str
    media_type: str


class MediaService:
    def __init__(
        self,
        objects: Objects,
        keys: Sequence[SecretKey],
        public_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self._objects = objects
        self._keys = keys
        self._public_url = public_url
        self._now = now

    async def store_picture(self, tenant: Tenant, data: bytes, *, preview: bool) -> StoredPicture:
        """Re-encode a picture and keep it. Raises `UnusablePictureError`."""
        encoded = await asyncio.to_thread(
            encode_picture, data, PREVIEW_SIDE if preview else IMAGE_SIDE
        )
        digest = hashlib.sha256(encoded).hexdigest()
        key = f"pictures/{tenant.organization_id}/{digest}.jpg"
        await self._objects.put(key, encoded)
        return StoredPicture(key, MEDIA_TYPE)

    def link(self, object_key: str) -> str:
        """A link that anybody may follow for an hour."""
        expires_at = int((self._now() + LINK_LIFETIME).timestamp())
        return self._public_url + sign_link(self._keys, PATH + object_key, expires_at)

    async def open(self, object_key: str, expires: str, signature: str) -> bytes:
        """What a link leads to. Raises `NotFoundError` for a wrong or expired one."""
        try:
            verify_link(self._keys, PATH + object_key, expires, signature, now=self._timestamp())
            return await self._objects.get(object_key)
        except (InvalidLinkError, ObjectNotFoundError):
            raise NotFoundError("This link is not valid, or no longer.") from None

    def _timestamp(self) -> int:
        return int(self._now().timestamp())


def encode_picture(data: bytes, side: int) -> bytes:
    """A JPEG of at most `side` pixels a side. Raises `UnusablePictureError`."""
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP", "GIF")) as image:
            if image.width * image.height > MAX_PIXELS:
                raise UnusablePictureError(f"{image.width} × {image.height} pixels are too many")
            picture = image.convert("RGB")
    except UnusablePictureError:
        raise
    except Exception as error:  # what a decoder makes of a stranger's bytes is not foreseeable
        raise UnusablePictureError("these bytes are no picture that can be shown") from error
    picture.thumbnail((side, side))
    picture.info.clear()  # a comment, a profile: they would be written as they came
    encoded = io.BytesIO()
    picture.save(encoded, "JPEG", quality=85)
    return encoded.getvalue()
