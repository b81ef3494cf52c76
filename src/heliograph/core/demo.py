"""The demo: an organization, one paired account on a simulated network, and a key for it."""

from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountService
from heliograph.core.keys.service import KeyService
from heliograph.core.organizations.service import OrganizationService
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.core.tenants.plans import UNLIMITED
from heliograph.errors import HeliographError, SessionNotFoundError
from heliograph.networks.port import DemoAccount, Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.files.private import write_private

FILE = "demo.json"
NAME = "Demo"
SESSION_NAME = "demo"
SCOPE = "admin:write"


@dataclass(frozen=True, slots=True)
class Demo:
    """What a script needs to use the demo; `network` names the commands that drive its phones."""

    base_url: str
    api_key: str
    organization_id: str
    chat_account_id: str
    session_name: str
    contact_phone: str
    network: str


@dataclass(eq=False)
class DemoService:
    _networks: NetworkRegistry
    _organizations: OrganizationService
    _accounts: AccountService
    _keys: KeyService

    async def ensure(self, path: Path, base_url: str) -> Demo:
        """Read the demo that `path` (mode 0600) describes, and make it anew when its key does not
        work."""
        demo = _read(path)
        if demo is None or not await self._works(demo):
            demo = await self._make(base_url)
        demo = replace(demo, base_url=base_url)
        write_private(path, msgspec.json.format(msgspec.json.encode(demo), indent=2).decode())
        return demo

    async def _works(self, demo: Demo) -> bool:
        try:
            principal = await self._keys.authenticate_key(demo.api_key)
        except HeliographError:
            return False
        return str(principal.organization_id) == demo.organization_id

    async def _make(self, base_url: str) -> Demo:
        """Make what is missing: an earlier start may have been cut short half-way."""
        network, form = self._network()
        principal = operator((await self._organization()).tenant)
        account = await self._account(principal, network, form)
        minted = await self._keys.mint(principal, "demo", scopes=[SCOPE])
        return Demo(
            base_url=base_url,
            api_key=minted.text,
            organization_id=str(principal.organization_id),
            chat_account_id=str(account.id),
            session_name=account.session_name,
            contact_phone=form.contact_phone,
            network=network.name,
        )

    async def _organization(self) -> Organization:
        for organization in await self._organizations.list():
            if organization.name == NAME:
                return organization
        return await self._organizations.create(NAME, plan=UNLIMITED)

    async def _account(self, principal: Principal, network: Network, form: DemoAccount) -> Account:
        try:
            return await self._accounts.get_by_session_name(principal, SESSION_NAME)
        except SessionNotFoundError:
            return await self._accounts.create(
                principal, network.name, "Demo phone", SESSION_NAME, form.settings
            )

    def _network(self) -> tuple[Network, DemoAccount]:
        for network in self._networks.list_networks():
            if network.demo is not None:
                return network, network.demo
        raise HeliographError("No installed network can be tried without a phone of one's own.")


def find_demo(folder: Path) -> Demo | None:
    """Find the demo of this data directory, where it has one."""
    return _read(folder / FILE)


def find_demo_organization(folder: Path) -> UUID | None:
    """Find the demo's organization, where this data directory has a demo."""
    demo = find_demo(folder)
    return UUID(demo.organization_id) if demo is not None else None


def _read(path: Path) -> Demo | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Demo)
    except (OSError, msgspec.DecodeError):
        return None
