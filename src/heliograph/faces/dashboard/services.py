"""What the dashboard needs of the gateway; the composition root has them all."""

from typing import TYPE_CHECKING, Protocol

from heliograph.platform.crypto import SecretBox
from heliograph.settings import Settings

if TYPE_CHECKING:  # types alone: the composition root hands the services over
    from heliograph.core.accounts.devices import DeviceService
    from heliograph.core.accounts.service import AccountService
    from heliograph.core.accounts.simulator import SimulatorService
    from heliograph.core.audit.service import AuditService
    from heliograph.core.inbox.labels import LabelService
    from heliograph.core.inbox.service import InboxService
    from heliograph.core.keys.service import KeyService
    from heliograph.core.live.service import LiveService
    from heliograph.core.members.service import MemberService
    from heliograph.core.members.sessions import BrowserSessionService
    from heliograph.core.messages.failures import FailureService
    from heliograph.core.messages.statistics import StatisticsService
    from heliograph.core.rates.service import RateLimiter
    from heliograph.core.removals.service import RemovalService
    from heliograph.core.webhooks.deliveries import DeliveryService
    from heliograph.core.webhooks.service import WebhookService


class Services(Protocol):
    @property
    def settings(self) -> Settings: ...
    @property
    def secret_box(self) -> SecretBox: ...
    @property
    def browser_sessions(self) -> "BrowserSessionService": ...
    @property
    def members(self) -> "MemberService": ...
    @property
    def accounts(self) -> "AccountService": ...
    @property
    def devices(self) -> "DeviceService": ...
    @property
    def removals(self) -> "RemovalService": ...
    @property
    def live(self) -> "LiveService": ...
    @property
    def simulator(self) -> "SimulatorService": ...
    @property
    def audit(self) -> "AuditService": ...
    @property
    def statistics(self) -> "StatisticsService": ...
    @property
    def keys(self) -> "KeyService": ...
    @property
    def webhooks(self) -> "WebhookService": ...
    @property
    def deliveries(self) -> "DeliveryService": ...
    @property
    def failures(self) -> "FailureService": ...
    @property
    def rates(self) -> "RateLimiter": ...
    @property
    def inbox(self) -> "InboxService": ...
    @property
    def labels(self) -> "LabelService": ...
