"""What the tool server needs of the gateway; the composition root has it all."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # types alone: the composition root hands the services over
    from heliograph.core.accounts.service import AccountService
    from heliograph.core.accounts.simulator import SimulatorService
    from heliograph.core.contacts.service import ContactService
    from heliograph.core.groups import GroupService
    from heliograph.core.inbox.conversations import ConversationService
    from heliograph.core.inbox.service import InboxService
    from heliograph.core.messages.history import MessageHistoryService
    from heliograph.core.messages.service import MessageService
    from heliograph.core.messages.statistics import StatisticsService
    from heliograph.core.webhooks.deliveries import DeliveryService
    from heliograph.core.webhooks.service import WebhookService
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
