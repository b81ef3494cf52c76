"""Sending: messages with their files, and changes of messages that were sent."""

from datetime import datetime, timedelta
from functools import partial
from secrets import token_bytes

from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import UploadResponse
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ContextInfo, Message

from heliograph.networks.content import Content, Media, Poll, Text
from heliograph.networks.errors import FileUnavailableError, NetworkError, TooOldError
from heliograph.networks.port import Outgoing, OutgoingChange, OutgoingFile, Quoted, Sent
from heliograph.networks.whatsapp.addresses import is_group
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.connection import Connection
from heliograph.networks.whatsapp.conversion.jids import to_jid
from heliograph.networks.whatsapp.conversion.mentions import readdressed
from heliograph.networks.whatsapp.conversion.outgoing import (
    file_to_send,
    is_voice,
    message_to_send,
    quote_of,
    recaptioned,
    sent_of,
    with_context,
)
from heliograph.networks.whatsapp.conversion.outgoing_changes import (
    edit_to_send,
    key_of,
    reaction_to_send,
    revoke_to_send,
)
from heliograph.networks.whatsapp.failures import send_failure_of
from heliograph.networks.whatsapp.options import MAX_DELETE_AGE, MAX_EDIT_AGE
from heliograph.networks.whatsapp.recipients import Recipients
from heliograph.networks.whatsapp.uploads import Uploads, seconds_of_voice

_SECRET_BYTES = 32
_LIMITS = {"edited": MAX_EDIT_AGE, "deleted": MAX_DELETE_AGE}


class Sending:
    """Sends messages and changes for one session, each once as far as is known."""

    def __init__(self, connection: Connection, recipients: Recipients, uploads: Uploads) -> None:
        self._connection = connection
        self._recipients = recipients
        self._uploads = uploads
        self._directory = connection.directory

    async def send(self, message: Outgoing) -> Sent:
        """Send a message, unless WhatsApp has accepted it before. Raises `NetworkError`."""
        run = self._connection.current_run()
        post = partial(self._post, run, message)
        return await self._connection.sent_ids.once(
            message.chat_message_id, message.recipient, post
        )

    async def change(self, change: OutgoingChange) -> datetime:
        """Send a change, unless WhatsApp has accepted it before. Raises `NetworkError`."""
        run = self._connection.current_run()
        post = partial(self._post_change, run, change)
        sent = await self._connection.sent_ids.once(change.change_id, change.chat_jid, post)
        return sent.sent_at

    # --- messages ---

    async def _post(self, run: ClientRun, message: Outgoing) -> tuple[str, Sent]:
        known = await self._recipients.find(run, message.recipient)
        content = await self._addressed(run, known.jid, message.content)
        payload = await self._payload(run, content, message.file)
        if message.reply_to is not None:
            payload = with_context(payload, await self._quote(run, known.jid, message.reply_to))
        remote_id, sent = await self._hand_over(run, known.jid, payload)
        return remote_id, replace(sent, contact_name=known.name, chat_name=known.chat_name)

    async def _payload(
        self, run: ClientRun, content: Content, file: OutgoingFile | None
    ) -> Message:
        if not isinstance(content, Media):
            secret = token_bytes(_SECRET_BYTES) if isinstance(content, Poll) else b""
            return message_to_send(content, secret)
        if file is None:
            raise FileUnavailableError("The message's file is not there at the moment.")
        upload, end = await self._uploads.upload(run, content, file)
        return _with_file(content, file, upload, end)

    async def _addressed(self, run: ClientRun, chat: str, content: Content) -> Content:
        """Return the content with its mentions under the addresses that the chat uses."""
        if not isinstance(content, Text) or not content.mentions:
            return content
        named = await self._recipients.members(run, chat, content.mentions)
        return readdressed(content, lambda jid: named.get(jid, jid))

    async def _quote(self, run: ClientRun, chat: str, quoted: Quoted) -> ContextInfo:
        remote_id, _ = await self._remote(quoted.chat_message_id, quoted.sender_jid)
        author = quoted.sender_jid or self._connection.own_jid
        return quote_of(quoted, remote_id, await self._recipients.member(run, chat, author))

    async def _hand_over(self, run: ClientRun, to: str, payload: Message) -> tuple[str, Sent]:
        jid = to_jid(to)
        response = await run.ask(lambda client: client.send_message(jid, payload), send_failure_of)
        await self._connection.originals.keep(response.ID, payload)
        return response.ID, sent_of(response, self._directory.canonical(to))

    # --- changes ---

    async def _post_change(self, run: ClientRun, change: OutgoingChange) -> tuple[str, Sent]:
        known = await self._recipients.find(run, change.chat_jid)
        remote_id, sent_at = await self._remote(change.chat_message_id, change.sender_jid)
        self._require_young(change, sent_at)
        author = change.sender_jid
        if author is not None:
            author = await self._recipients.member(run, known.jid, author)
        key = key_of(known.jid, remote_id, author, is_group=is_group(known.jid))
        now = self._connection.now()
        if change.kind == "reaction":
            payload = reaction_to_send(key, change.emoji, now)
        elif change.kind == "deleted":
            payload = revoke_to_send(key)
        else:
            payload = edit_to_send(key, await self._edited(run, known.jid, change, remote_id), now)
        return await self._hand_over(run, known.jid, payload)

    async def _edited(
        self, run: ClientRun, chat: str, change: OutgoingChange, remote_id: str
    ) -> Message:
        """Return the new content of an edited message."""
        content = change.content
        if content is None:
            raise NetworkError("The edit says nothing.", permanent=True)
        original = await self._connection.originals.find(remote_id)
        if original is not None and not original.HasField("pollCreationMessage"):
            caption = content.caption if isinstance(content, Media) else content.summary
            return recaptioned(original, caption)
        if not isinstance(content, Text):
            raise NetworkError("WhatsApp edits texts and captions alone.", permanent=True)
        return message_to_send(await self._addressed(run, chat, content))

    def _require_young(self, change: OutgoingChange, sent_at: datetime | None) -> None:
        """Raise `TooOldError` for a change that phones no longer accept."""
        # the server accepts it, but no phone shows it
        limit = _LIMITS.get(change.kind)
        if limit is None or sent_at is None:
            return
        if self._connection.now() > sent_at + timedelta(seconds=limit):
            raise TooOldError(f"WhatsApp takes this for {limit} seconds after sending, no later.")

    async def _remote(self, our_id: str, sender_jid: str | None) -> tuple[str, datetime | None]:
        """Return the network's id of a message, and when we sent it."""
        found = await self._connection.sent_ids.remote(our_id) if sender_jid is None else None
        return found or (our_id, None)  # it was sent by the owner's phone


def _with_file(content: Media, file: OutgoingFile, upload: UploadResponse, end: bytes) -> Message:
    seconds = seconds_of_voice(end) if is_voice(content) else 0
    return file_to_send(content, upload, file_name=file.file_name, seconds=seconds)
