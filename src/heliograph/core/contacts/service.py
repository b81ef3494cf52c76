"""Contacts and their profile pictures, read from the account's address book."""

from dataclasses import dataclass
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountDirectory, require_connected
from heliograph.core.contacts import sql
from heliograph.core.contacts.lookup import get_visible_contact
from heliograph.core.contacts.model import Contact, ContactPicture
from heliograph.core.contacts.serializers import SyncStateRecord, sync_state_record
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.jobs.model import Job, JobKind, JobStatus, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.jobs.sql import find_job
from heliograph.core.media.service import MediaService
from heliograph.core.records import make_record
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import NotFoundError, NotSupportedByNetworkError, PictureNotFoundError
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.port import AccountStatus
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Connection, Database
from heliograph.untrusted import UntrustedText


class SyncRecord(TypedDict):
    """The job that reads the contacts: a new one, or the one that is running already."""

    success: bool
    message: str
    job_id: str
    status: JobStatus


def sync_record(job: Job) -> SyncRecord:
    return {
        "success": True,
        "message": "The contact synchronization has been started."
        if job.status is JobStatus.PENDING
        else "A contact synchronization of this account is already running.",
        "job_id": str(job.id),
        "status": job.status,
    }


class PictureRecord(TypedDict):
    """A contact's profile picture, from object storage or the chat network."""

    contact_id: UUID
    phone_number: Annotated[str | None, Doc("`+` and digits when known, else null.")]
    url: Annotated[str, Doc("A signed link that works for one hour.")]
    preview: Annotated[bool, Doc("True when this is the thumbnail.")]
    chat_account_id: UUID
    picture_id: UntrustedText
    picture_type: str
    cached: Annotated[bool, Doc("True when it came from object storage.")]


@dataclass(eq=False)
class ContactService:
    _database: Database
    _networks: NetworkRegistry
    _directory: AccountDirectory
    _jobs: JobService
    _media: MediaService

    async def sync(
        self, principal: Principal, account_id: UUID, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Start a job that reads the account's contacts, and answer at once with its id.

        While one is running for the account, answer with the id of that one.
        """
        principal.require("contacts:write")

        async def plan() -> NewJob:
            account = await self._directory.read(principal, account_id)
            principal.require_account(account.id)
            network = self._networks.get_for_account(account.network)
            if not network.capabilities.contacts:
                raise NotSupportedByNetworkError(network.title, "list contacts")
            require_connected(account)
            return NewJob(account.id, JobKind.SYNC_CONTACTS, {})

        async def respond(job: Job) -> StoredResponse:
            return encode_response(200, sync_record(job))

        return await self._jobs.perform(principal, key, plan, respond)

    async def sync_state(self, principal: Principal, job_id: UUID) -> SyncStateRecord:
        """Return the progress of a synchronization. Raises `NotFoundError`,
        `OtherOrganizationError` and `AccountNotAllowedError`."""
        principal.require("contacts:read")

        async def work(connection: Connection) -> Job:
            job = await find_job(connection, principal.tenant, job_id)
            if job is None or job.kind is not JobKind.SYNC_CONTACTS:
                not_found = NotFoundError(f"There is no synchronization with the id {job_id}.")
                if job is not None:
                    raise not_found
                raise await missing_error(connection, "jobs", job_id, not_found)
            principal.require_account(job.account_id)
            return job

        return sync_state_record(await self._database.read(work))

    async def picture(
        self, principal: Principal, contact_id: UUID, account_id: UUID | None, *, preview: bool
    ) -> PictureRecord:
        """Return the contact's profile picture: the network's present one, else the stored one.

        Raises what `get_visible_contact` and the account's lookup raise, `PictureNotFoundError` and
        `ChatAccountNotConnectedError`.
        """
        principal.require("contacts:read")
        contact = await self._database.read(get_visible_contact, principal, contact_id)
        account = await self._directory.read(principal, account_id)
        principal.require_account(account.id)
        stored = await self._find_picture(contact, account, preview=preview)
        if account.status is not AccountStatus.CONNECTED and stored is not None:
            return self._record(contact, stored, cached=True)
        picture, fetched = await self._refresh(principal, contact, account, stored, preview=preview)
        return self._record(contact, picture, cached=not fetched)

    async def _find_picture(
        self, contact: Contact, account: Account, *, preview: bool
    ) -> ContactPicture | None:
        return await self._database.read(
            sql.find_picture, contact.tenant, contact.id, account.id, preview=preview
        )

    async def _refresh(
        self,
        principal: Principal,
        contact: Contact,
        account: Account,
        stored: ContactPicture | None,
        *,
        preview: bool,
    ) -> tuple[ContactPicture, bool]:
        """Request the picture from the network. Returns it, and whether it differs from
        `stored`."""
        network = self._networks.get_for_account(account.network)
        if not network.capabilities.pictures:
            raise NotSupportedByNetworkError(network.title, "show profile pictures")
        request = {
            "contact_id": contact.id,
            "remote_jid": await self._address(contact, account),
            "preview": preview,
            "known_id": stored.picture_id if stored else None,
        }
        require_connected(account)
        job = await self._jobs.start(principal, NewJob(account.id, JobKind.FETCH_PICTURE, request))
        result = (await self._jobs.wait_for_end(job)).result or {}
        if stored is not None and result.get("unchanged"):
            return stored, False
        picture = await self._find_picture(contact, account, preview=preview)
        if picture is None:
            raise PictureNotFoundError
        return picture, True

    async def _address(self, contact: Contact, account: Account) -> str:
        """Return the contact's address on the account's network. Raises `PictureNotFoundError`."""
        known = await self._database.read(
            sql.list_addresses, contact.tenant, contact.id, account.network
        )
        if known:
            return known[0]
        network = self._networks.get_for_account(account.network)
        try:
            number = (contact.phone_number or "").removeprefix("+")
            return network.recipient(number, account.settings)
        except InvalidAddressError:
            raise PictureNotFoundError from None

    def _record(self, contact: Contact, picture: ContactPicture, *, cached: bool) -> PictureRecord:
        return make_record(
            PictureRecord,
            picture,
            phone_number=contact.phone_number,
            url=self._media.link(picture.object_key),
            chat_account_id=picture.account_id,
            picture_type="preview" if picture.preview else "image",
            cached=cached,
        )
