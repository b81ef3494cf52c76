"""Every service of one process: what bootstrap fills, and what faces and tests are handed."""

from dataclasses import dataclass

from heliograph.core.accounts.devices import DeviceService
from heliograph.core.accounts.maintenance import AccountMaintenanceService
from heliograph.core.accounts.pairing import PairingService
from heliograph.core.accounts.service import AccountService
from heliograph.core.accounts.simulator import SimulatorService
from heliograph.core.audit.refusals import RefusalAudit
from heliograph.core.audit.service import AuditService
from heliograph.core.canned.service import CannedReplyService
from heliograph.core.changes.service import Changes
from heliograph.core.cluster.backlog import BacklogService
from heliograph.core.cluster.chores import Chores
from heliograph.core.cluster.heartbeat import NodeIdentity
from heliograph.core.contacts.book import ContactBookService
from heliograph.core.contacts.checks import NumberCheckService
from heliograph.core.contacts.service import ContactService
from heliograph.core.demo import DemoService
from heliograph.core.events.log import EventLogService
from heliograph.core.groups.management import GroupManagementService
from heliograph.core.groups.service import GroupService
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.objects import ObjectStorageProbe
from heliograph.core.inbox.conversations import ConversationService
from heliograph.core.inbox.notes import NoteService
from heliograph.core.inbox.service import InboxService
from heliograph.core.inbox.signals import SignalService
from heliograph.core.ingest.service import ReportService
from heliograph.core.keys.service import KeyService
from heliograph.core.labels.service import LabelService
from heliograph.core.live.service import LiveService
from heliograph.core.media.fetching import FetchService
from heliograph.core.media.library import MediaLibraryService
from heliograph.core.media.service import MediaService
from heliograph.core.media.uploads import UploadService
from heliograph.core.members.service import MemberService
from heliograph.core.members.sessions import BrowserSessionService
from heliograph.core.messages.accepting.service import MessageService
from heliograph.core.messages.edits.ending import CancellationService
from heliograph.core.messages.edits.resending import ResendService
from heliograph.core.messages.edits.service import EditService
from heliograph.core.messages.history import MessageHistoryService
from heliograph.core.messages.lists.service import MessageListService
from heliograph.core.messages.statistics.service import StatisticsService
from heliograph.core.organizations.service import OrganizationService, PlanService
from heliograph.core.rates.counts import RequestCounts
from heliograph.core.rates.service import RateLimiter
from heliograph.core.removals.organizations import OrganizationRemovalService
from heliograph.core.removals.service import RemovalService
from heliograph.core.upkeep.retention import RetentionService
from heliograph.core.webhooks.deliveries.replays import ReplayService
from heliograph.core.webhooks.deliveries.report import DeliveryReportService
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import SecretBox, SecretKey
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.platform.telemetry.tracing import Tracer
from heliograph.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    """Every service of one process, over one pool."""

    settings: Settings
    database: Database
    notifications: Notifications
    networks: NetworkRegistry
    secret_box: SecretBox
    secret_keys: tuple[SecretKey, ...]
    identity: NodeIdentity
    chores: Chores
    changes: Changes
    reports: ReportService
    organizations: OrganizationService
    plans: PlanService
    audit: AuditService
    refusals: RefusalAudit
    keys: KeyService
    accounts: AccountService
    account_maintenance: AccountMaintenanceService
    devices: DeviceService
    pairing: PairingService
    removals: RemovalService
    organization_removals: OrganizationRemovalService
    live: LiveService
    messages: MessageService
    message_edits: EditService
    cancellations: CancellationService
    message_history: MessageHistoryService
    message_lists: MessageListService
    conversations: ConversationService
    inbox: InboxService
    notes: NoteService
    labels: LabelService
    canned_replies: CannedReplyService
    contacts: ContactService
    contact_book: ContactBookService
    groups: GroupService
    group_management: GroupManagementService
    number_checks: NumberCheckService
    signals: SignalService
    statistics: StatisticsService
    webhooks: WebhookService
    deliveries: DeliveryService
    replays: ReplayService
    event_log: EventLogService
    resends: ResendService
    delivery_report: DeliveryReportService
    media: MediaService
    media_library: MediaLibraryService
    uploads: UploadService
    fetches: FetchService
    simulator: SimulatorService
    demo: DemoService
    readiness: ReadinessService
    object_storage: ObjectStorageProbe
    backlog: BacklogService
    request_counts: RequestCounts
    rates: RateLimiter
    retention: RetentionService
    browser_sessions: BrowserSessionService
    members: MemberService
    tracer: Tracer
