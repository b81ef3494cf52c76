"""Accepts messages: stores them, then answers; they are sent after that.

Requests that wait at the same time are written in one transaction (group commit). Each has its own
outcome: a known idempotency key, a used-up quota or a bad value concerns only its own request.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountDirectory
from heliograph.core.idempotency import sql as idempotency_sql
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    StoredResponse,
    encode_response,
    replay_of,
)
from heliograph.core.idempotency.sql import IdempotencyRecord
from heliograph.core.media.sql import keep_media_until
from heliograph.core.messages import sql
from heliograph.core.messages.accepting.files import MessageFiles, with_file
from heliograph.core.messages.accepting.inserting import insert_messages, list_stored
from heliograph.core.messages.accepting.quotas import QuotaRequest, take_quotas
from heliograph.core.messages.accepting.recipients import Recipient, RecipientService, SendTo
from heliograph.core.messages.accepting.recipients_sql import ChatPlaces
from heliograph.core.messages.lists.names_sql import list_with_names
from heliograph.core.messages.model import ChatType, Claim, NewMessage, SentBy
from heliograph.core.messages.queue import sql as queue_sql
from heliograph.core.messages.queue.claims import lock_epochs
from heliograph.core.messages.queue.senders import Reservation, Senders
from heliograph.core.messages.serializers import (
    MessageRecord,
    RenewLink,
    SendRecord,
    keep_link,
    message_record,
)
from heliograph.core.messages.spans import add_batch_span, begin_acceptance
from heliograph.core.tenants.commit import TenantCommit, shared_key
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.plans import Plan
from heliograph.core.tenants.rows import Shards, shards_of
from heliograph.errors import (
    InvalidInputError,
    MessageNotFoundError,
    NotSupportedByNetworkError,
    OtherOrganizationError,
)
from heliograph.networks.content import Content, Media, Text, message_type
from heliograph.networks.content.inputs import FileSource
from heliograph.networks.port import AccountStatus, Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.places import Places
from heliograph.platform.database.pool import (
    Connection,
    Database,
    RepeatTransactionError,
    await_standbys,
)
from heliograph.platform.telemetry.metrics import MESSAGES_ACCEPTED
from heliograph.platform.telemetry.tracing import OFF, Tracer

MAX_SCHEDULE_AHEAD = timedelta(days=366)
_MIN_TIMEOUT = 1.0


class SendMessage(msgspec.Struct, frozen=True):
    """A request to send. `account_id` None means the primary account.

    `scheduled_for` None, or a time that has passed, means now; a message that is not sent by
    `expires_at` fails. `as_text` sends a kind that the network does not support as a text.
    `sent_by` None means the caller. `file` says where the content's file is, which is resolved
    before the answer.
    """

    to: SendTo
    content: Content
    run_id: str
    account_id: UUID | None = None
    reply_to_message_id: UUID | None = None
    scheduled_for: datetime | None = None
    expires_at: datetime | None = None
    as_text: bool = False
    metadata: dict[str, str] | None = None
    sent_by: SentBy | None = None
    file: FileSource | None = None
    wants_preview: bool = False


class _Acceptance(msgspec.Struct, frozen=True):
    message: NewMessage
    response: StoredResponse
    key: IdempotencyKey | None
    record: IdempotencyRecord | None
    plan: Plan


class _WrittenBatch(NamedTuple):
    """The result of a batch. `stored_before` are accounts with messages that an earlier try has
    stored, and perhaps claimed."""

    outcomes: Sequence[StoredResponse | Exception]
    claims: Mapping[UUID, Claim] = MappingProxyType({})
    stored_before: Collection[UUID] = ()


class MessageService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        networks: NetworkRegistry,
        accounts: AccountDirectory,
        idempotency: IdempotencyService,
        *,
        files: MessageFiles | None = None,
        renew: RenewLink = keep_link,
        tracer: Tracer = OFF,
        chats: ChatPlaces | None = None,
    ) -> None:
        self.renew = renew
        self._chats: ChatPlaces = Places(are_known=False) if chats is None else chats
        self._tracer = tracer
        self.senders = Senders()
        self._files = files
        self._database = database
        self._notifications = notifications
        self._recipients = RecipientService(database, networks, accounts)
        self._idempotency = idempotency
        self._accept: TenantCommit[_Acceptance, StoredResponse] = TenantCommit(
            database,
            self._write,
            lambda acceptance: acceptance.message.tenant,
            max_batch=400,
            concurrency=2,
        )
        self._reads: GroupCommit[int, tuple[Tenant, UUID], MessageRecord] = GroupCommit(
            lambda _, keys: database.read(self._read, keys),
            max_batch=200,
            concurrency=2,
        )

    async def send(
        self, principal: Principal, request: SendMessage, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Queue a message. Returns when it is on disk.

        Raises `NoChatAccountError`, `ChatAccountNotFoundError`, `OtherOrganizationError`,
        `AccountNotAllowedError`, `ConversationNotFoundError`, `ContactNotFoundError`,
        `NotSupportedByNetworkError`, `InvalidInputError`, `PlanLimitReachedError` and
        `UnavailableError`.
        """
        principal.require("messages:write")
        if key is None:
            return await self._send(principal, request, None)
        return await self._idempotency.run(
            principal, key, lambda: self._send(principal, request, key)
        )

    async def _send(
        self, principal: Principal, request: SendMessage, key: IdempotencyKey | None
    ) -> StoredResponse:
        recipient = await self._recipients.resolve(principal, request.to, request.account_id)
        _check_capabilities(recipient.network, request)
        message = self._new_message(principal, recipient, request)
        if request.file is not None or request.wants_preview:
            if key is not None and await self._idempotency.is_taken(principal.tenant, key.key):
                # which replays the stored answer
                return await self._submit(principal, message, key)
            message = await self._with_file(principal, message, request)
        if request.reply_to_message_id is not None:
            quoted = await self._recipients.find_quoted(
                principal, request.reply_to_message_id, recipient
            )
            message = replace(
                message,
                reply_to_message_id=quoted.id,
                reply_to_chat_message_id=quoted.chat_message_id,
            )
        return await self._submit(principal, message, key)

    async def _with_file(
        self, principal: Principal, message: NewMessage, request: SendMessage
    ) -> NewMessage:
        """Return the message with its file, or with the preview of its first link."""
        files, content = self._files, message.content
        if files is None:
            raise RuntimeError("this service was made without files")
        if isinstance(content, Text):
            return replace(message, content=await files.preview(principal, content))
        if request.file is None or not isinstance(content, Media):
            return message
        media = await files.find(principal, content, request.file)
        return replace(
            message,
            content=with_file(content, media),
            media_type=media.media_type,
            media_url=files.link(media),
        )

    async def _submit(
        self, principal: Principal, message: NewMessage, key: IdempotencyKey | None
    ) -> StoredResponse:
        with begin_acceptance(self._tracer, message) as span:
            if span.context is None:
                return await self._store(principal, message, key)
            message = replace(message, trace_context=span.context)
            return await self._store(principal, message, key)

    async def _store(
        self, principal: Principal, message: NewMessage, key: IdempotencyKey | None
    ) -> StoredResponse:
        body: SendRecord = {
            "success": True,
            "message_id": message.id,
            "status": sql.initial_status(message),
            "run_id": message.run_id,
        }
        accepted = encode_response(200, body)
        record = None
        if key is not None:
            record = self._idempotency.record(
                principal.tenant, key, resource_id=message.id, response=accepted
            )
        return await self._accept.submit(
            _Acceptance(message, accepted, key, record, principal.plan)
        )

    def _new_message(
        self, principal: Principal, recipient: Recipient, request: SendMessage
    ) -> NewMessage:
        message_id, now = self._database.clock.new_id(), self._database.clock.now()
        scheduled_for = _checked_time(request.scheduled_for, now)
        _check_expiry(request.expires_at, scheduled_for or now)
        return NewMessage(
            tenant=principal.tenant,
            id=message_id,
            account_id=recipient.account.id,
            recipient=recipient.address,
            phone_number=recipient.phone_number,
            chat_type=ChatType.GROUP if recipient.is_group else ChatType.INDIVIDUAL,
            content=request.content,
            chat_message_id=recipient.network.message_id(message_id),
            run_id=request.run_id,
            created_at=now,
            scheduled_for=scheduled_for,
            expires_at=request.expires_at,
            conversation_id=recipient.conversation_id,
            metadata=request.metadata,
            sent_by=request.sent_by or sender_of(principal),
        )

    async def _write(
        self, database: Database, batch: Sequence[_Acceptance]
    ) -> Sequence[StoredResponse | Exception]:
        began = self._tracer.now()
        outcomes, claims, stored_before = await self._write_and_hand_over(database, batch)
        if self._tracer.is_on:
            self._trace_batch(batch, began)
        for account_id in stored_before:
            self.senders.recover(account_id)
        MESSAGES_ACCEPTED.inc(
            sum(
                outcome is acceptance.response  # a replay of an earlier answer is another object
                for acceptance, outcome in zip(batch, outcomes, strict=True)
            )
        )
        waiting = {acceptance.message.account_id for acceptance in batch} - claims.keys()
        self._notifications.notify_owner(*map(topics.messages_of, waiting))
        if any(acceptance.message.scheduled_for for acceptance in batch):
            self._notifications.notify(topics.SCHEDULED)
        return outcomes

    def _trace_batch(self, batch: Sequence[_Acceptance], began: int) -> None:
        found = [acceptance.message.trace_context for acceptance in batch]
        if contexts := [context for context in found if context is not None]:
            add_batch_span(self._tracer, "store messages", contexts, len(batch), began)

    async def _write_and_hand_over(
        self, database: Database, batch: Sequence[_Acceptance]
    ) -> _WrittenBatch:
        """Write the batch, and hand over the messages that it claimed to the senders of this
        node."""
        reservations = self.senders.reserve([acceptance.message for acceptance in batch])
        written, tries, in_doubt = None, 0, True

        async def write(connection: Connection) -> _WrittenBatch:
            nonlocal tries
            tries += 1
            return await self._write_in(connection, batch, reservations, is_repeated=tries > 1)

        try:
            written = await database.within(self._deadline(batch)).transact(write)
            in_doubt = tries > 1
        except asyncpg.PostgresError:  # refused, and rolled back
            in_doubt = tries > 1
            raise
        finally:
            claims = written.claims if written is not None else {}
            self.senders.settle(reservations, claims, in_doubt=in_doubt)
        return written

    def _deadline(self, batch: Sequence[_Acceptance]) -> float:
        """Return the seconds that are left for the batch."""
        # Its first member may have waited long for the previous batch, and must not wait as long
        # again.
        waited = self._database.clock.now() - batch[0].message.created_at
        return max(_MIN_TIMEOUT, self._database.request_timeout - waited.total_seconds())

    async def _write_in(
        self,
        connection: Connection,
        batch: Sequence[_Acceptance],
        reservations: Mapping[UUID, Reservation],
        *,
        is_repeated: bool,
    ) -> _WrittenBatch:
        shards = shards_of(acceptance.message.tenant for acceptance in batch)
        epochs = await lock_epochs(connection, reservations)
        outcomes = await self._take_keys(connection, shards, batch)
        if any(acceptance.plan.limits_messages for acceptance in batch):
            outcomes = await self._take_quotas(connection, shards, batch, outcomes)
        accepted = [
            acceptance.message
            for acceptance, outcome in zip(batch, outcomes, strict=True)
            if outcome is acceptance.response
        ]
        stored = await list_stored(connection, shards, accepted) if is_repeated else set()
        before = {message.account_id for message in accepted if message.id in stored}
        new = [message for message in accepted if message.id not in stored]
        if not new:
            return _WrittenBatch(outcomes, stored_before=before)
        claims = await insert_messages(connection, shards, new, epochs, reservations, self._chats)
        await _keep_files(connection, shards, batch, {message.id for message in new})
        return _WrittenBatch(outcomes, claims, before)

    async def _take_keys(
        self, connection: Connection, shards: Shards, batch: Sequence[_Acceptance]
    ) -> list[StoredResponse | Exception]:
        """Return the outcomes of those members for which the idempotency key decides it."""
        keyed: dict[tuple[UUID, str], IdempotencyRecord] = {}
        for acceptance in batch:
            record = acceptance.record
            if record is not None:
                keyed.setdefault((record.tenant.organization_id, record.key), record)
        if not keyed:
            return [acceptance.response for acceptance in batch]
        now = self._database.clock.now()
        await idempotency_sql.delete_expired_of(connection, shards, sorted(keyed), now)
        taken = await idempotency_sql.insert_keys(connection, shards, list(keyed.values()))
        if len(taken) < len(keyed):
            await await_standbys(connection)  # a replayed answer must be as durable as the first
        known = await idempotency_sql.list_keys(connection, shards, sorted(keyed))
        if len(known) < len(keyed):
            raise RepeatTransactionError("a key was deleted meanwhile")
        return [_outcome(acceptance, known) for acceptance in batch]

    async def _take_quotas(
        self,
        connection: Connection,
        shards: Shards,
        batch: Sequence[_Acceptance],
        outcomes: list[StoredResponse | Exception],
    ) -> list[StoredResponse | Exception]:
        """Return the outcomes, with 429 for messages that the plans do not allow, and release the
        keys of those."""
        requests = [
            QuotaRequest(member.message.tenant.organization_id, member.message.id, member.plan)
            for member, outcome in zip(batch, outcomes, strict=True)
            if outcome is member.response and member.plan.limits_messages
        ]
        now = self._database.clock.now()
        refused = await take_quotas(connection, shards, requests, now) if requests else {}
        if not refused:
            return outcomes
        members = [member for member in batch if member.message.id in refused]
        keyed = [member.record for member in members if member.record is not None]
        await idempotency_sql.delete_keys_of(connection, shards, keyed)
        # By the answer's body, since some members may replay the answer of a refused one.
        refusals = {member.response.body: refused[member.message.id] for member in members}
        return [
            refusals.get(outcome.body, outcome) if isinstance(outcome, StoredResponse) else outcome
            for outcome in outcomes
        ]

    async def get(self, principal: Principal, message_id: UUID) -> MessageRecord:
        """Return the message. Raises `MessageNotFoundError`, `OtherOrganizationError` and
        `AccountNotAllowedError`."""
        principal.require("messages:read")
        record = await self._get(principal, message_id)
        principal.require_account(record["chat_account_id"])
        return record

    async def _get(self, principal: Principal, message_id: UUID) -> MessageRecord:
        key = shared_key(self._database, principal.tenant)
        return await self._reads.submit(key, (principal.tenant, message_id))

    async def is_sending(self, principal: Principal, account: Account, remote_jid: str) -> bool:
        """Whether the account is about to send a message there: one has been accepted, the account
        is connected, and the network has not accepted it yet."""
        principal.require("messages:read")
        if account.status is not AccountStatus.CONNECTED:
            return False
        return await self._database.read(
            queue_sql.is_sending, principal.tenant, account.id, remote_jid
        )

    async def read_in(
        self, connection: Connection, tenant: Tenant, message_id: UUID
    ) -> MessageRecord:
        """Return the message as it is in this transaction. Raises `MessageNotFoundError` and
        `OtherOrganizationError`."""
        [found] = await self._read(connection, [(tenant, message_id)])
        if isinstance(found, Exception):
            raise found
        return found

    async def _read(
        self, connection: Connection, wanted: Sequence[tuple[Tenant, UUID]]
    ) -> Sequence[MessageRecord | Exception]:
        keys = [(tenant.organization_id, message_id) for tenant, message_id in wanted]
        shards = shards_of(tenant for tenant, _ in wanted)
        found = await list_with_names(connection, shards, list(set(keys)))
        missing = [key[1] for key in keys if key not in found]
        known = await sql.list_known_ids(connection, missing) if missing else set()
        records: list[MessageRecord | Exception] = []
        for key in keys:
            if (named := found.get(key)) is not None:
                records.append(message_record(self.renew(named.message), named.names))
            else:
                is_known = key[1] in known
                records.append(
                    OtherOrganizationError() if is_known else MessageNotFoundError(key[1])
                )
        return records


async def _keep_files(
    connection: Connection,
    shards: Shards,
    batch: Sequence[_Acceptance],
    inserted: Collection[UUID],
) -> None:
    """Keep the files of these messages for as long as the plan keeps messages sent at that time."""
    kept: dict[tuple[UUID, UUID], datetime] = {}
    for acceptance in batch:
        message, days = acceptance.message, acceptance.plan.retention_days
        if not isinstance(message.content, Media) or message.id not in inserted or days is None:
            continue
        if message.content.media_id is not None:
            key = (message.tenant.organization_id, message.content.media_id)
            until = (message.scheduled_for or message.created_at) + timedelta(days=days)
            kept[key] = max(until, kept.get(key, until))
    if kept:
        await keep_media_until(connection, shards, kept)


def sender_of(principal: Principal) -> SentBy:
    """Return the sender to record for a message that this caller sends."""
    if principal.key_id is not None:
        return SentBy("api_key", principal.key_id, principal.name)
    user_id = None if principal.user_id is None else str(principal.user_id)
    return SentBy("user", user_id, principal.name)


def _check_capabilities(network: Network, request: SendMessage) -> None:
    """Raise `NotSupportedByNetworkError` if the network can't send this."""
    kind = message_type(request.content)
    if not network.capabilities.can_send(kind, as_text=request.as_text):
        raise NotSupportedByNetworkError(network.title, f"send messages of the type '{kind}'")
    is_reply = request.reply_to_message_id is not None
    if is_reply and not network.capabilities.replies and not request.as_text:
        raise NotSupportedByNetworkError(
            network.title, "quote the message that another one answers"
        )


def _check_expiry(at: datetime | None, begins_at: datetime) -> None:
    if at is not None and at <= begins_at:
        raise InvalidInputError.at(
            ("body", "expires_at"),
            "The message would expire before it could be sent: name a later time.",
            input=at.isoformat(),
        )


def _checked_time(at: datetime | None, now: datetime) -> datetime | None:
    if at is None or at <= now:
        return None
    if at > now + MAX_SCHEDULE_AHEAD:
        raise InvalidInputError.at(
            ("body", "scheduled_for"),
            f"A message can be scheduled at most {MAX_SCHEDULE_AHEAD.days} days ahead.",
            input=at.isoformat(),
        )
    return at


def _outcome(
    acceptance: _Acceptance, known: dict[tuple[UUID, str], IdempotencyRecord]
) -> StoredResponse | Exception:
    """Return this request's own answer if the key is for its message, else the answer of the first
    request."""
    record, key = acceptance.record, acceptance.key
    if record is None or key is None:
        return acceptance.response
    found = known[record.tenant.organization_id, record.key]
    if found.resource_id == acceptance.message.id:
        return acceptance.response
    try:
        return replay_of(found, key) or acceptance.response
    except InvalidInputError as error:
        return error
