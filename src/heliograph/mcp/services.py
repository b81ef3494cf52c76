"""What the tool server needs of the gateway; the composition root has it all."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # types alone: the composition root hands the services over
    from heliograph.services.accounts import AccountService
    from heliograph.services.contacts import ContactService
    from heliograph.services.conversations import ConversationService
    from heliograph.services.deliveries import DeliveryService
    from heliograph.services.groups import GroupService
    from heliograph.services.inbox import InboxService
    from heliograph.services.message_history import MessageHistoryService
    from heliograph.services.messages import MessageService
    from heliograph.services.simulator import SimulatorService
    from heliograph.services.statistics import StatisticsService
    from heliograph.services.webhooks import WebhookService
    from heliograph.settings import Settings


class Services(Protocol):
    @property
    def settings(self) -> "Settings": ...
    @property
    def messages(self) -> "MessageService": ...
    @property
    def message_history(self) -> "MessageHistoryService": ...
    @property
    def groups(self) -> "GroupService": ...
    @property
    def contacts(self) -> "ContactService": ...
    @property
    def conversations(self) -> "ConversationService": ...
    @property
    def inbox(self) -> "InboxService": ...
    @property
    def accounts(self) -> "AccountService": ...
    @property
    def statistics(self) -> "StatisticsService": ...
    @property
    def webhooks(self) -> "WebhookService": ...
    @property
    def deliveries(self) -> "DeliveryService": ...
    @property
    def simulator(self) -> "SimulatorService": ...
