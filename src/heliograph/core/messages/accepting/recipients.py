"""Resolves a message's recipient, its account, and the message that it quotes."""

from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountDirectory
from heliograph.core.contacts.addresses import number_at
from heliograph.core.contacts.lookup import get_visible_contact
from heliograph.core.messages.accepting.recipients_sql import (
    ChatAddress,
    find_chat,
    find_contact_address,
    find_message,
)
from heliograph.core.messages.model import Message
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import (
    ConversationNotFoundError,
    InvalidInputError,
)
from heliograph.networks.addresses import get_address, is_jid, recipient_of
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.phone_numbers import PhoneNumberError, forms_of
from heliograph.networks.port import Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Connection, Database


class SendTo(msgspec.Struct, frozen=True):
    """Exactly one is given, or an address within a conversation that the caller has checked.

    `address` is a phone number or a JID.
    """

    address: str | None = None
    conversation_id: UUID | None = None
    contact_id: UUID | None = None


class Recipient(NamedTuple):
    """`address` is the network's; `phone_number` is as in records: `+` and digits, else the JID."""

    account: Account
    network: Network
    address: str
    phone_number: str
    is_group: bool
    conversation_id: UUID | None


async def get_chat(
    connection: Connection, principal: Principal, conversation_id: UUID
) -> ChatAddress:
    """Return the chat of a conversation that the caller may see.

    Raises `ConversationNotFoundError`, `OtherOrganizationError` and `AccountNotAllowedError`.
    """
    chat = await find_chat(connection, principal.tenant, conversation_id)
    if chat is None:
        not_found = ConversationNotFoundError(conversation_id)
        raise await missing_error(connection, "conversations", conversation_id, not_found)
    principal.require_account(chat.account_id)
    return chat


class RecipientService:
    def __init__(
        self, database: Database, networks: NetworkRegistry, accounts: AccountDirectory
    ) -> None:
        self._database = database
        self._networks = networks
        self._accounts = accounts

    async def resolve(self, principal: Principal, to: SendTo, account_id: UUID | None) -> Recipient:
        """Return the recipient and the sending account, by default the primary one.

        Raises `NoChatAccountError`, `ChatAccountNotFoundError`, `AccountNotAllowedError`,
        `ConversationNotFoundError`, `ContactNotFoundError`, `OtherOrganizationError` and
        `InvalidInputError`.
        """
        if to.address is not None:
            account = await self._accounts.find(principal, account_id)
            return self._at(account, to.address, "phone_number", to.conversation_id)
        if to.conversation_id is not None:
            return await self._in_conversation(principal, to.conversation_id, account_id)
        if to.contact_id is not None:
            return await self._contact(principal, to.contact_id, account_id)
        raise InvalidInputError.at(("body",), "Nobody is named to send it to.")

    async def _in_conversation(
        self, principal: Principal, conversation_id: UUID, account_id: UUID | None
    ) -> Recipient:
        chat = await self._database.read(find_chat, principal.tenant, conversation_id)
        if chat is None:
            not_found = ConversationNotFoundError(conversation_id)
            raise await self._missing("conversations", conversation_id, not_found)
        if account_id not in (None, chat.account_id):
            raise InvalidInputError.at(
                ("body", "chat_account_id"),
                f"This conversation is held by the account {chat.account_id}: name that, or none.",
                input=str(account_id),
            )
        account = await self._accounts.find(principal, chat.account_id)
        return self._at(account, chat.remote_jid, "conversation_id", conversation_id)

    async def _contact(
        self, principal: Principal, contact_id: UUID, account_id: UUID | None
    ) -> Recipient:
        account = await self._accounts.find(principal, account_id)

        async def work(connection: Connection) -> tuple[str | None, str | None]:
            contact = await get_visible_contact(connection, principal, contact_id)
            jid = await find_contact_address(
                connection, principal.tenant, contact.id, account.network
            )
            return jid, contact.phone_number

        jid, phone_number = await self._database.read(work)
        address = jid or phone_number
        if address is None:
            raise InvalidInputError.at(
                ("body", "contact_id"),
                f"This contact has no phone number, and no address on {account.network}.",
                input=str(contact_id),
            )
        recipient = self._at(account, address, "contact_id", None)
        return recipient._replace(phone_number=phone_number or recipient.phone_number)

    def _at(
        self, account: Account, given: str, field: str, conversation_id: UUID | None
    ) -> Recipient:
        network = self._networks.get_for_account(account.network)
        try:
            # a network's own addresses may have another form than what people write
            number = get_address(given) if field == "phone_number" else given
            address = network.recipient(recipient_of(number), account.settings)
        except (InvalidAddressError, PhoneNumberError) as error:
            raise InvalidInputError.at(("body", field), error.reason, input=given) from None
        is_group = network.is_group(address)
        if is_group:
            number = address
        elif is_jid(number):
            number = number_at(network, account.settings, address) or address
        return Recipient(account, network, address, number, is_group, conversation_id)

    async def _missing(self, table: str, id_: UUID, not_found: Exception) -> Exception:
        async def work(connection: Connection) -> Exception:
            return await missing_error(connection, table, id_, not_found)

        return await self._database.read(work)

    async def find_quoted(
        self, principal: Principal, message_id: UUID, recipient: Recipient
    ) -> Message:
        """Return the message to quote. Raises `InvalidInputError` unless it belongs to this chat of
        this account."""
        quoted = await self._database.read(find_message, principal.tenant, message_id)
        location = ("body", "reply_to_message_id")
        if quoted is None:
            problem = "This organization has no message with this id."
            raise InvalidInputError.at(location, problem, input=str(message_id))
        is_here = quoted.chat_jid == recipient.address or (
            not is_jid(quoted.phone_number)
            and quoted.phone_number in forms_of(recipient.phone_number)
        )
        if quoted.account_id != recipient.account.id or not is_here:
            problem = "This message belongs to another conversation: a reply can't quote it there."
            raise InvalidInputError.at(location, problem, input=str(message_id))
        return quoted
