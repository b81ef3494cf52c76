"""The other side of a network, where it can be driven: virtual phones for the CLI, pages and MCP.

The network is the one of the account's row. What the network refuses (an unknown phone, a button
that is not there) is raised as `NetworkError`, whose text is a sentence for a person.
"""

from collections.abc import Mapping, Sequence

from heliograph.core.accounts.model import Account
from heliograph.errors import NotSupportedByNetworkError
from heliograph.networks.content import Content
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import GroupSeen, Person, SimulatedGroup, SimulatedMessage, Simulator
from heliograph.networks.registry import DriverError, NetworkRegistry, UnknownNetworkError


class SimulatorService:
    """The caller has looked the account up within its tenant.

    Every method raises `NotSupportedByNetworkError` for a network whose people are real.
    """

    def __init__(self, networks: NetworkRegistry) -> None:
        self._networks = networks

    def is_offered(self, account: Account) -> bool:
        """Whether the people of the account's network are virtual."""
        try:
            return self._networks.get_network(account.network).simulator() is not None
        except (UnknownNetworkError, DriverError):
            return False

    async def people(self, account: Account, *, most: int | None = None) -> Sequence[Person]:
        """Everybody the account has to do with, by address; of more than `most` the first."""
        return await self._simulator(account).people(account.id, most=most)

    async def find_person(self, account: Account, who: str) -> Person:
        """The one with this number, address or name."""
        return await self._simulator(account).find_person(account.id, who)

    async def find_names(self, account: Account, jids: Sequence[str]) -> Mapping[str, str]:
        """Those of the people at these addresses, by address; nobody else's."""
        return await self._simulator(account).find_names(account.id, jids)

    async def groups(self, account: Account, phone: str) -> Sequence[SimulatedGroup]:
        """The groups that the phone shows, the newest first."""
        return await self._simulator(account).groups(account.id, phone)

    async def receive(
        self, account: Account, phone: str, *, limit: int = 20, group_jid: str | None = None
    ) -> Sequence[SimulatedMessage]:
        """The chat with the account as the phone shows it, oldest first; opening it reads it."""
        simulator = self._simulator(account)
        return await simulator.receive(account.id, phone, limit=limit, group_jid=group_jid)

    async def press(
        self,
        account: Account,
        phone: str,
        button: str,
        *,
        chat_message_id: str | None = None,
        group_jid: str | None = None,
    ) -> SimulatedMessage:
        """Press a button, by id or title, of the newest message that has it."""
        simulator = self._simulator(account)
        return await simulator.press(
            account.id, phone, button, chat_message_id, group_jid=group_jid
        )

    async def say(
        self, account: Account, phone: str, text: str, *, group_jid: str | None = None
    ) -> SimulatedMessage:
        """The phone writes to the account, or into a group that both are in."""
        return await self._simulator(account).say(account.id, phone, text, group_jid)

    async def send(
        self,
        account: Account,
        phone: str,
        content: Content,
        *,
        group_jid: str | None = None,
        reply_to: str | None = None,
    ) -> SimulatedMessage:
        """The phone sends a place, a card, or a chosen row of a list."""
        simulator = self._simulator(account)
        return await simulator.send(
            account.id, phone, content, group_jid=group_jid, reply_to=reply_to
        )

    async def scan(self, account: Account, payload: str | None = None) -> None:
        """Accept a pairing; without a payload the one that the account shows now."""
        shown = payload or (account.pairing or {}).get("payload")
        if not shown:
            raise NetworkError(f"The account {account.name!r} shows no code.", permanent=True)
        await self._simulator(account).scan(shown)

    async def set_online(self, account: Account, phone: str, online: bool) -> None:
        """Switch a phone off or on; while it is off, messages wait for it."""
        await self._simulator(account).set_online(account.id, phone, online)

    async def change_picture(self, account: Account, phone: str) -> str:
        """Give the phone another profile picture; returns the picture's id."""
        return await self._simulator(account).change_picture(account.id, phone)

    async def disconnect(
        self, account: Account, *, log_out: bool = False, seconds: float = 0.0
    ) -> None:
        """Cut the account's connection for at least `seconds`, or log it out."""
        await self._simulator(account).disconnect(account.id, log_out=log_out, seconds=seconds)

    async def silence(self, account: Account) -> None:
        """Let nothing more through the account's connection, which stays open."""
        await self._simulator(account).silence(account.id)

    async def invite(
        self, account: Account, subject: str, *, owner: str, approval: bool = False
    ) -> str:
        """Make a group owned by the phone `owner`; returns its invite link."""
        simulator = self._simulator(account)
        return await simulator.invite(account.id, subject, owner=owner, approval=approval)

    async def revoke_invite(self, account: Account, invite_link: str) -> None:
        await self._simulator(account).revoke_invite(invite_link)

    async def approve(self, account: Account, invite_link: str) -> GroupSeen:
        """Let the account into the group it has asked to join."""
        return await self._simulator(account).approve(account.id, invite_link)

    async def set_delays(
        self, account: Account, *, delivered: float | None = None, read: float | None = None
    ) -> None:
        """Seconds from sending to the delivered receipt, and from there to the read one."""
        await self._simulator(account).set_delays(account.id, delivered=delivered, read=read)

    def _simulator(self, account: Account) -> Simulator:
        simulator = self._networks.get_network(account.network).simulator()
        if simulator is None:
            raise NotSupportedByNetworkError(account.network, "be driven: its people are real")
        return simulator
