"""A session: what the gateway asks of one account's connection to WhatsApp."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from cachetools import LRUCache
from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import GetProfilePictureParams, GroupInfo
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

from heliograph.networks.errors import (
    AlreadyInGroupError,
    ApprovalRequiredError,
    PictureNotFoundError,
    RecipientNotFoundError,
)
from heliograph.networks.port import (
    Account,
    ContactSeen,
    Events,
    GroupSeen,
    NetworkContext,
    Outgoing,
    Picture,
    Sent,
    Session,
)
from heliograph.networks.whatsapp import addresses, files
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.connection import Connection, SessionResources
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.conversion.outgoing import message_to_send, sent_of
from heliograph.networks.whatsapp.conversion.people import contacts_of, names_of
from heliograph.networks.whatsapp.failures import (
    invite_failure_of,
    number_failure_of,
    picture_failure_of,
    send_failure_of,
)
from heliograph.networks.whatsapp.library_client import LibraryClient, NeonizeClient
from heliograph.networks.whatsapp.threads import call_aside

CONTACTS_PAGE = 100
MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Recipient:
    """Whom a message goes to: their address on WhatsApp, the address book's name, their own."""

    jid: str
    name: str | None = None
    chat_name: str | None = None


class WhatsAppSession(Session):
    def __init__(
        self, account: Account, events: Events, resources: SessionResources, number: str | None
    ) -> None:
        self._connection = Connection(account, events, resources, number)
        self._directory = self._connection.directory
        self._fetch = resources.fetch
        self._known: LRUCache[str, Recipient] = LRUCache(MOST_KNOWN)

    async def send(self, message: Outgoing) -> Sent:
        """Send a message, unless WhatsApp has taken it before. Raises `NetworkError`."""
        run = self._connection.current_run()
        payload = message_to_send(message.content)
        post = partial(self._post, run, message.recipient, payload)
        return await self._connection.sent_ids.once(message, post)

    async def ping(self) -> None:
        await self._connection.current_run().ask(lambda client: client.set_passive(False))

    async def log_out(self) -> None:
        await self._connection.current_run().ask(lambda client: client.logout())
        self._connection.logged_out("The account was logged out: pair it again.")

    async def close(self) -> None:
        await self._connection.close()

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
        members = [to_jid(participant) for participant in participants]
        info = await self._connection.current_run().ask(
            lambda client: client.create_group(subject, members)
        )
        info.GroupName.Name = info.GroupName.Name or subject
        [group] = await self._groups([info])
        return group

    async def find_group(self, subject: str, since: datetime) -> GroupSeen | None:
        infos = await self._connection.current_run().ask(lambda client: client.get_joined_groups())
        own = self._connection.own_jid
        named = [info for info in infos if info.GroupName.Name == subject]
        ours = [
            group
            for group in await self._groups(named)
            if group.owner_jid == own and group.created_at and group.created_at >= since
        ]
        return max(ours, key=lambda group: group.created_at or since, default=None)

    async def join_group(self, invite_link: str) -> GroupSeen:
        run, code = self._connection.current_run(), addresses.invite_code(invite_link)
        known = await run.ask(
            lambda client: client.get_group_info_from_link(code), invite_failure_of
        )
        group_jid = to_text(known.JID)
        if await self._find_joined(run, group_jid) is not None:
            raise AlreadyInGroupError("The account is in this group.", remote_jid=group_jid)
        await run.ask(lambda client: client.join_group_with_link(code), invite_failure_of)
        joined = await self._find_joined(run, group_jid)
        if joined is None:
            raise ApprovalRequiredError("The account has asked to join: an admin must let it in.")
        return joined

    async def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]:
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
    ) -> Picture | None:
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
            lambda: self._fetch(info.URL, files.MOST_PICTURE_BYTES), "whatsapp-picture"
        )
        return Picture(info.ID, data)

    # --- parts ---

    async def _post(self, run: ClientRun, recipient: str, payload: Message) -> tuple[str, Sent]:
        known = await self._recipient(run, recipient)
        to = to_jid(known.jid)
        response = await run.ask(lambda client: client.send_message(to, payload), send_failure_of)
        sent = sent_of(response, self._directory.canonical(known.jid))
        return response.ID, replace(sent, contact_name=known.name, chat_name=known.chat_name)

    async def _recipient(self, run: ClientRun, jid: str) -> Recipient:
        """Look a recipient up, once. Raises `RecipientNotFoundError` for a number of nobody."""
        # WhatsApp takes messages for numbers that nobody has
        if addresses.is_group(jid):
            return Recipient(jid)
        if jid not in self._known:
            address = await self._address(run, jid)
            info = await run.ask(lambda client: client.contact.get_contact(to_jid(address)))
            self._known[jid] = Recipient(address, *names_of(info))
        return self._known[jid]

    async def _address(self, run: ClientRun, jid: str) -> str:
        """Find the address that WhatsApp has for a number."""
        # older numbers of some countries have lost or gained a digit
        number = addresses.phone_number(jid)
        if number is None:
            await self._connection.report(await self._directory.resolve([jid], run))
            return jid
        found = await run.ask(lambda client: client.is_on_whatsapp(number), number_failure_of)
        answers = [to_text(answer.JID) for answer in found if answer.IsIn]
        if not answers:
            raise RecipientNotFoundError(f"{number} is not on WhatsApp.")
        await self._connection.report(await self._directory.resolve(answers, run))
        address = self._directory.canonical(answers[0])
        if addresses.phone_number(address) is None:
            return jid
        self._directory.answered[jid] = address
        return address

    async def _find_joined(self, run: ClientRun, group_jid: str) -> GroupSeen | None:
        """Find the group, if the account is in it."""
        try:
            info = await run.ask(lambda client: client.get_group_info(to_jid(group_jid)))
        except RecipientNotFoundError:
            return None
        [group] = await self._groups([info])
        return group

    async def _groups(self, infos: Sequence[GroupInfo]) -> list[GroupSeen]:
        learned, groups = self._directory.record_groups(infos)
        await self._connection.report(learned)
        return groups


def _numbers(lids: Sequence[str], client: LibraryClient) -> dict[str, str]:
    """Map hidden ids to addresses with the number, as far as the library's store has them."""
    found: dict[str, Any] = {lid: client.get_pn_from_lid(to_jid(lid)) for lid in lids}
    return {lid: to_text(jid) for lid, jid in found.items() if jid.User}


def open_resources(context: NetworkContext, store_url: str) -> SessionResources:
    """Make what sessions over the library itself share; `WhatsAppSession` is one."""
    return SessionResources(context, partial(NeonizeClient, store_url))
