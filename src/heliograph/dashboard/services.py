"""What the dashboard needs of the gateway; the composition root has them all."""

from typing import TYPE_CHECKING, Protocol

from heliograph.crypto import SecretBox
from heliograph.settings import Settings

if TYPE_CHECKING:  # types alone: the composition root hands the services over
    from heliograph.services.accounts import AccountService
    from heliograph.services.audit import AuditService
    from heliograph.services.browser_sessions import BrowserSessionService
    from heliograph.services.deliveries import DeliveryService
    from heliograph.services.devices import DeviceService
    from heliograph.services.failures import FailureService
    from heliograph.services.inbox import InboxService
    from heliograph.services.keys import KeyService
    from heliograph.services.labels import LabelService
    from heliograph.services.live import LiveService
    from heliograph.services.members import MemberService
    from heliograph.services.rates import RateLimiter
    from heliograph.services.simulator import SimulatorService
    from heliograph.services.statistics import StatisticsService
    from heliograph.services.webhooks import WebhookService


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
