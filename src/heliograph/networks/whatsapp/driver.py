"""WhatsApp as a `Network` of the gateway. Importing this needs nothing; connecting needs the
extra."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from heliograph.networks.port import Account, Capabilities, Events, Network, NetworkContext, Session
from heliograph.networks.whatsapp import addresses, library, sql
from heliograph.networks.whatsapp.library import store_url
from heliograph.networks.whatsapp.options import (
    FORM,
    MAX_DELETE_AGE,
    MAX_EDIT_AGE,
    MAX_FILE_BYTES,
    read_phone_number,
)
from heliograph.networks.whatsapp.sql import database_errors

SESSION_MODULE = "heliograph.networks.whatsapp.session"


class WhatsAppNetwork(Network):
    """WhatsApp as a linked device."""

    name = "whatsapp"
    title = "WhatsApp (linked device)"
    capabilities = Capabilities(
        content=frozenset(
            {"text", "buttons", "poll", "image", "video", "audio", "document", "sticker"}
            | {"location", "contact"}
        ),
        changes=frozenset({"edited", "deleted", "reaction"}),
        edit_seconds=MAX_EDIT_AGE,
        delete_seconds=MAX_DELETE_AGE,
        replies=True,
        mentions=True,
        create_group=True,
        join_group=True,
        manage_groups=True,
        contacts=True,
        number_checks=True,
        pictures=True,
        typing=True,
        read_marks=True,
        pairing=True,
        max_file_bytes=MAX_FILE_BYTES,
        send_rate=30,
    )
    form = FORM
    migrations = Path(__file__).parent / "migrations"

    def __init__(self) -> None:
        self._context: NetworkContext | None = None
        self._resources: Any = None

    def missing(self) -> str:
        try:
            library.check_library(library.find_folder())
        except library.LibraryError as error:
            return str(error)
        return ""

    def start(self, context: NetworkContext) -> None:
        self._context = context

    def recipient(self, value: str, settings: Mapping[str, str]) -> str:
        return addresses.address(value)

    def is_group(self, remote_jid: str) -> bool:
        return addresses.is_group(remote_jid)

    def check_invite_link(self, invite_link: str) -> None:
        addresses.invite_code(invite_link)

    def message_id(self, message_id: UUID) -> str:
        return addresses.message_id(message_id)

    async def forget(self, account_id: UUID) -> None:
        """Delete the driver's rows of the account. Raises `NetworkError` while the database is
        unavailable."""
        context = self._started()
        with database_errors():
            await sql.delete_account(context.pool, account_id)

    async def connect(self, account: Account, events: Events) -> Session:
        """Open a session. Raises `NetworkError` for settings that the form does not allow, and
        `LibraryError` where the extra is not installed."""
        context = self._started()
        number = read_phone_number(account.settings)
        loaded = await asyncio.to_thread(library.load, SESSION_MODULE)
        if self._resources is None:
            self._resources = loaded.open_resources(context, store_url(context.database_url))
        session: Session = loaded.WhatsAppSession(account, events, self._resources, number)
        return session

    def _started(self) -> NetworkContext:
        if self._context is None:
            raise RuntimeError("The WhatsApp network must be started before it is used.")
        return self._context
