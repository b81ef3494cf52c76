"""XMPP as a `Network` of the gateway."""

import ssl
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from heliograph.networks.port import Account, Capabilities, Events, Network, NetworkContext, Session
from heliograph.networks.xmpp import addresses
from heliograph.networks.xmpp.options import FORM, SessionResources, read_options, trust


class XmppNetwork(Network):
    """Accounts on XMPP servers. In seconds: `first_delay` is the first wait before reconnecting,
    `open_timeout` the time that a server may take for a log-in."""

    name = "xmpp"
    title = "XMPP"
    capabilities = Capabilities(
        content=frozenset(
            {
                "text",
                "buttons",
                "image",
                "video",
                "audio",
                "document",
                "sticker",
                "location",
                "contact",
            }
        ),
        changes=frozenset({"edited", "deleted", "reaction"}),
        replies=True,
        mentions=True,
        create_group=True,
        join_group=True,
        manage_groups=True,
        contacts=True,
        pictures=True,
        typing=True,
        read_marks=True,
        send_rate=600,
    )
    form = FORM

    def __init__(self, *, first_delay: float = 1.0, open_timeout: float = 30.0) -> None:
        self._resources = SessionResources(
            tls=self._tls, first_delay=first_delay, open_timeout=open_timeout
        )
        self._system_trust: ssl.SSLContext | None = None

    def start(self, context: NetworkContext) -> None:
        self._resources = replace(self._resources, now=context.now, why_refused=context.why_refused)

    def recipient(self, value: str, settings: Mapping[str, str]) -> str:
        return addresses.address(value, settings)

    def is_group(self, remote_jid: str) -> bool:
        """Return whether the domain has a usual name of a group service."""
        # a JID alone does not show it; each account knows its own groups, and reports that in
        # `Sent`
        return addresses.looks_like_group(remote_jid)

    def check_invite_link(self, invite_link: str) -> None:
        addresses.invited_to(invite_link)

    def message_id(self, message_id: UUID) -> str:
        return addresses.message_id(message_id)

    async def connect(self, account: Account, events: Events) -> Session:
        """Open a session. Raises `NetworkError` for settings that the form does not allow."""
        # slixmpp takes 17 MiB: only a process that holds an account of XMPP needs it
        from heliograph.networks.xmpp.session import XmppSession

        options = read_options(account.settings, account.secrets)
        return XmppSession(account, events, options, self._resources)

    def _tls(self, certificates: str | None) -> ssl.SSLContext:
        """Return the context for an account."""
        # the system's authorities take much memory: the accounts that trust them share one
        if certificates is not None:
            return trust(certificates)
        if self._system_trust is None:
            self._system_trust = trust(None)
        return self._system_trust
