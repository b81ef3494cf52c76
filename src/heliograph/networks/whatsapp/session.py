"""A session: the gateway's requests to one account's connection."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

from neonize.proto.Neonize_pb2 import GetProfilePictureParams
from neonize.utils.enum import ChatPresence, ChatPresenceMedia, ReceiptType

from heliograph.networks import port
from heliograph.networks.errors import PictureNotFoundError
from heliograph.networks.whatsapp import addresses, files
from heliograph.networks.whatsapp.connection import Connection, SessionResources
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.conversion.people import contacts_of
from heliograph.networks.whatsapp.failures import picture_failure_of
from heliograph.networks.whatsapp.group_session import GroupSession
from heliograph.networks.whatsapp.library_client import LibraryClient, NeonizeClient
from heliograph.networks.whatsapp.recipients import Recipients
from heliograph.networks.whatsapp.sending import Sending
from heliograph.networks.whatsapp.threads import call_aside
from heliograph.networks.whatsapp.uploads import Uploads

CONTACTS_PAGE = 100


class WhatsAppSession(GroupSession):
    def __init__(
        self,
        account: port.Account,
        events: port.Events,
        resources: SessionResources,
        number: str | None,
    ) -> None:
        self._connection = Connection(account, events, resources, number)
        self._directory = self._connection.directory
        self._fetch = resources.fetch
        self._recipients = Recipients(self._directory, self._connection.report)
        self._sending = Sending(self._connection, self._recipients, Uploads(resources.uploads))

    async def send(self, message: port.Outgoing) -> port.Sent:
        return await self._sending.send(message)

    async def change(self, change: port.OutgoingChange) -> datetime:
        return await self._sending.change(change)

    async def ping(self) -> None:
        await self._connection.current_run().ask(lambda client: client.set_passive(False))

    async def log_out(self) -> None:
        await self._connection.current_run().ask(lambda client: client.logout())
        self._connection.logged_out("The account was logged out: pair it again.")

    async def close(self) -> None:
        await self._connection.close()

    async def set_typing(self, chat_jid: str, is_typing: bool) -> None:
        chat = to_jid(self._recipients.chat(chat_jid))
        state = (
            ChatPresence.CHAT_PRESENCE_COMPOSING if is_typing else ChatPresence.CHAT_PRESENCE_PAUSED
        )
        media = ChatPresenceMedia.CHAT_PRESENCE_MEDIA_TEXT
        await self._connection.current_run().ask(
            lambda client: client.send_chat_presence(chat, state, media)
        )

    async def mark_read(self, chat_jid: str, messages: Sequence[tuple[str, str]]) -> None:
        """Mark messages as read, in one request for each sender."""
        run, chat = self._connection.current_run(), self._recipients.chat(chat_jid)
        for sender_jid, some in groupby(messages, key=lambda message: message[1]):
            ids = [chat_message_id for chat_message_id, _ in some]
            sender = await self._recipients.member(run, chat, sender_jid)
            await run.ask(partial(_mark_read, chat, sender, ids))

    async def check_numbers(self, phone_numbers: Sequence[str]) -> Sequence[port.NumberCheck]:
        run = self._connection.current_run()
        asked = list(dict.fromkeys(f"+{number}" for number in phone_numbers))
        found = await self._recipients.list_addresses(run, asked)
        return [port.NumberCheck(number, found.get(f"+{number}")) for number in phone_numbers]

    async def contacts(self) -> AsyncIterator[Sequence[port.ContactSeen]]:
        """List the address book with push names, in pages; hidden ids under their number."""
        run = self._connection.current_run()
        known = await run.ask(lambda client: client.contact.get_all_contacts())
        book = self._directory.book
        lids = [lid for contact in known if addresses.is_lid(lid := to_text(contact.JID))]
        unknown = [lid for lid in lids if lid not in book]
        pairs = await run.ask(partial(_numbers, unknown))
        await self._connection.report(self._directory.record(pairs))
        people = list(contacts_of(known, book))
        for start in range(0, len(people), CONTACTS_PAGE):
            yield people[start : start + CONTACTS_PAGE]

    async def picture(
        self, remote_jid: str, *, preview: bool, known_id: str | None = None
    ) -> port.FetchedPicture | None:
        params = GetProfilePictureParams(Preview=preview)
        if known_id:
            params.ExistingID = known_id
        info = await self._connection.current_run().ask(
            lambda client: client.get_profile_picture(to_jid(remote_jid), params),
            picture_failure_of,
        )
        if known_id and info.ID in ("", known_id):
            return None
        if not info.URL:
            raise PictureNotFoundError("There is no picture.")
        data = await call_aside(
            lambda: self._fetch(info.URL, files.MAX_PICTURE_BYTES), "whatsapp-picture"
        )
        return port.FetchedPicture(info.ID, data)


def _mark_read(chat: str, sender: str, ids: Sequence[str], client: LibraryClient) -> None:
    client.mark_read(*ids, chat=to_jid(chat), sender=to_jid(sender), receipt=ReceiptType.READ)


def _numbers(lids: Sequence[str], client: LibraryClient) -> dict[str, str]:
    """Map hidden ids to addresses with the number, as far as the library's store has them."""
    found: dict[str, Any] = {lid: client.get_pn_from_lid(to_jid(lid)) for lid in lids}
    return {lid: to_text(jid) for lid, jid in found.items() if jid.User}


def open_resources(context: port.NetworkContext, store_url: str) -> SessionResources:
    """Open the resources that sessions over the real library share (see `WhatsAppSession`)."""
    return SessionResources(context, partial(NeonizeClient, store_url))
