"""Fetching a file that a request names by its URL, before the request is answered.

The gateway connects only to public addresses here, whatever addresses webhooks may use: fetched
files are passed on to strangers.
"""

import asyncio
from urllib.parse import unquote, urlsplit

import structlog

from heliograph.core.media.media_types import parse_media_type
from heliograph.core.media.model import Location, Media, Upload
from heliograph.core.media.uploads import UploadService
from heliograph.core.tenants.model import Principal
from heliograph.errors import BodyTooLargeError, InvalidInputError, MediaTypeError
from heliograph.networks.content import MediaKind
from heliograph.platform.aio.limits import FairSemaphore
from heliograph.platform.file_names import tidy_file_name
from heliograph.platform.outbound_http import (
    Download,
    Downloader,
    OutboundError,
    RefusedAddressError,
)

log = structlog.get_logger()

AT_ONCE = 32
SHARE = 4
"""The most files that a node fetches at once, in all and for one organization."""
WAIT = 20.0
"""Seconds that a request waits until others of its organization have fetched theirs."""


class FetchService:
    def __init__(self, uploads: UploadService, downloader: Downloader) -> None:
        self._uploads = uploads
        self._downloader = downloader
        self._turns = FairSemaphore(AT_ONCE, SHARE)

    async def fetch(
        self, principal: Principal, url: str, kind: MediaKind, location: Location
    ) -> Media:
        """Fetch the file at `url`, which is to be sent as this `kind`, and store it.

        Raises `InvalidInputError` at `location`, with the reason, when there is none, or when it is
        too large or of another kind; `PlanLimitReachedError`, `UploadsBusyError`,
        `StorageUnavailableError` and `UnavailableError`.
        """
        principal.require("messages:write")
        try:
            async with asyncio.timeout(WAIT) as limit:
                async with self._turns.hold(principal.organization_id):
                    limit.reschedule(None)
                    async with self._downloader.open(url) as download:
                        upload = _upload_of(download, kind)
                        self._uploads.check(principal, upload)
                        return await self._uploads.store(principal, upload, download.chunks)
        except TimeoutError:
            reason = "others of this organization are being fetched; try again"
        except RefusedAddressError as error:
            log.info("a file was not fetched", refused=error.refused)
            reason = str(error)
        except OutboundError as error:
            reason = str(error)
        except MediaTypeError as error:
            reason = error.fault
        except BodyTooLargeError:
            reason = f"it is larger than {principal.plan.file_limit} bytes"
        except InvalidInputError:
            reason = "it is empty"
        raise InvalidInputError.at(
            location, f"Value error, this file can't be fetched: {reason.rstrip('.')}", input=url
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._downloader.close()


def _upload_of(download: Download, kind: MediaKind) -> Upload:
    name = unquote(urlsplit(download.url).path.rpartition("/")[2])
    return Upload(
        claimed_type=parse_media_type(download.content_type),
        file_name=tidy_file_name(name),
        size=download.size,
        kind=kind,
        is_guess=True,
    )
