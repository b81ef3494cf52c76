"""The composition root: settings become a pool, services and loops here and nowhere else."""

import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from uuid import UUID

from heliograph.app.loops import NodeLoops, watch_disk, watch_event_loop
from heliograph.core.accounts.devices import DeviceService
from heliograph.core.accounts.maintenance import AccountMaintenanceService
from heliograph.core.accounts.pairing import Pairer, PairingService
from heliograph.core.accounts.service import AccountDirectory, AccountService
from heliograph.core.accounts.simulator import SimulatorService
from heliograph.core.audit.refusals import RefusalAudit
from heliograph.core.audit.service import AuditService
from heliograph.core.canned.service import CannedReplyService
from heliograph.core.changes.service import Changes
from heliograph.core.cluster import sql as cluster_sql
from heliograph.core.cluster.backlog import BacklogService
from heliograph.core.cluster.chores import Chore, Chores
from heliograph.core.cluster.heartbeat import Heartbeat, NodeIdentity
from heliograph.core.cluster.leases import LeaseKeeper
from heliograph.core.cluster.sql import list_admin_ports
from heliograph.core.contacts.book import ContactBookService
from heliograph.core.contacts.checks import NumberCheckService
from heliograph.core.contacts.events import add_contact_label_events
from heliograph.core.contacts.people import PeopleDirectory
from heliograph.core.contacts.service import ContactService
from heliograph.core.demo import DemoService, find_demo_organization
from heliograph.core.dispatch.account_session import (
    HealthChecks,
    SessionContext,
    write_health_checks_to,
)
from heliograph.core.dispatch.worker import SessionWorker
from heliograph.core.events.log import EventLogService
from heliograph.core.groups.management import GroupManagementService
from heliograph.core.groups.service import GroupService
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.objects import ObjectStorageProbe
from heliograph.core.health.workers import WorkersService
from heliograph.core.idempotency.service import IdempotencyService
from heliograph.core.inbox.conversations import ConversationService
from heliograph.core.inbox.conversations_sql import ConversationPlaces
from heliograph.core.inbox.events import add_label_events
from heliograph.core.inbox.notes import NoteService
from heliograph.core.inbox.service import InboxService
from heliograph.core.inbox.signals import SignalService
from heliograph.core.ingest.service import ReportService
from heliograph.core.jobs.service import JobService
from heliograph.core.keys.service import KeyService
from heliograph.core.labels.service import LabelService
from heliograph.core.live.service import LiveService
from heliograph.core.media.fetching import FetchService
from heliograph.core.media.library import MediaLibraryService
from heliograph.core.media.links import MediaLinks
from heliograph.core.media.previews import PreviewService
from heliograph.core.media.service import MediaService
from heliograph.core.media.uploads import UploadService
from heliograph.core.members.service import MemberService
from heliograph.core.members.sessions import BrowserSessionService
from heliograph.core.messages.accepting.files import MessageFiles
from heliograph.core.messages.accepting.service import MessageService
from heliograph.core.messages.edits.ending import CancellationService
from heliograph.core.messages.edits.resending import ResendService
from heliograph.core.messages.edits.service import EditService
from heliograph.core.messages.history import MessageHistoryService
from heliograph.core.messages.lists.service import MessageListService
from heliograph.core.messages.queue.holds_sql import release_held
from heliograph.core.messages.search.index import MessageIndexer
from heliograph.core.messages.serializers import link_renewer
from heliograph.core.messages.statistics.service import StatisticsService
from heliograph.core.organizations.service import OrganizationService, PlanService
from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.core.rates.counts import RequestCounts
from heliograph.core.rates.service import RateLimiter
from heliograph.core.removals.organizations import OrganizationRemovalService
from heliograph.core.removals.service import RemovalService
from heliograph.core.secret_keys.service import check_secret_keys
from heliograph.core.services import Services
from heliograph.core.upkeep.janitor import Janitor
from heliograph.core.upkeep.retention import RetentionService
from heliograph.core.webhooks.deliveries.replays import ReplayService
from heliograph.core.webhooks.deliveries.report import DeliveryReportService
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.posting.worker import DeliveryWorker
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.errors import ConfigurationError
from heliograph.networks.port import NetworkContext
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import SecretBox, parse_secret_keys
from heliograph.platform.database.failover import (
    CONNECT_FAILURES,
    DATABASE_FAILURES,
    list_hosts,
)
from heliograph.platform.database.failures import explain_failure, find_role
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.embedded.server import resolve_settings
from heliograph.platform.files.running_gateway import join_gateway
from heliograph.platform.objects import Objects
from heliograph.platform.outbound_http import (
    DOWNLOAD_TIMEOUT,
    AddressPolicy,
    Downloader,
    GuardedClient,
    OwnPorts,
    SystemResolver,
)
from heliograph.platform.telemetry.tracing import OFF, Tracer
from heliograph.settings import Role, Settings, load_settings


@asynccontextmanager
async def open_gateway(
    settings: Settings, tracer: Tracer = OFF, *, is_command: bool = False
) -> AsyncIterator[Services]:
    """Open the services on the database that `settings` name, and close them at the end.

    Raises `ConfigurationError` if the keys can't decrypt what is stored, or if a command has keys
    that the gateway does not know.
    """
    url = settings.database.url
    if url is None:
        raise ConfigurationError(
            "No database is set.",
            remedy="Start the gateway with `heliograph serve`.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    database = await Database.open(
        url.get_secret_value(),
        pool_size=settings.database.pool_size,
        connect_timeout=settings.database.connect_timeout,
        statement_timeout=settings.database.statement_timeout,
    )
    notifications = Notifications(
        url.get_secret_value(), connect_timeout=settings.database.connect_timeout
    )
    try:
        services = _build(settings, database, notifications, tracer)
        await check_secret_keys(
            database, services.secret_box, services.secret_keys, is_command=is_command
        )
        await notifications.start()
        try:
            yield services
        finally:
            await services.fetches.close()
            await services.media.close()
    finally:
        await notifications.stop()
        await database.close()


@asynccontextmanager
async def open_services() -> AsyncIterator[Services]:
    """Open the services for a command beside a running gateway.

    They use this process's settings and that gateway's address. Raises `ConfigurationError`, also
    when the database can't be reached.
    """
    async with AsyncExitStack() as stack:
        settings = join_gateway(resolve_settings(load_settings()))
        role = find_role(settings.database_url)
        try:
            services = await stack.enter_async_context(open_gateway(settings, is_command=True))
        except CONNECT_FAILURES as error:
            raise explain_failure(error, role) from error
        try:
            yield services
        except DATABASE_FAILURES as error:
            raise explain_failure(error, role, failed="The database has failed") from error


def _build(
    settings: Settings, database: Database, notifications: Notifications, tracer: Tracer
) -> Services:
    keys = parse_secret_keys([key.get_secret_value() for key in settings.secret.keys])
    secret_box = SecretBox(keys)
    identity = NodeIdentity()
    chores = Chores(database, identity)
    networks = NetworkRegistry()
    networks.start(
        NetworkContext(
            pool=database.pool,
            now=database.clock.now,
            notify=notifications.notify,
            subscribe=notifications.subscribe,
            database_url=settings.database_url,
            why_refused=AddressPolicy(settings.allow_private.value).why_text_refused,
        )
    )
    objects = Objects(settings.objects_url, settings.data_dir / "staging")
    links = MediaLinks(keys, settings.public_url, database.clock.now)
    media = MediaService(database, objects, links)
    idempotency = IdempotencyService(database, identity)
    sweep_interval = settings.interval.sweep_interval
    downloader = _downloader(settings, database)
    uploads = UploadService(
        database, objects, links, idempotency, identity, sweep_interval=sweep_interval
    )
    changes = Changes(database, notifications, idempotency, secret_box, fan_out)
    jobs = JobService(
        database, notifications, changes, idempotency, timeout=settings.server.network_timeout
    )
    preferred = find_demo_organization(settings.data_dir)
    accounts = AccountService(database, changes, networks, secret_box, preferred)
    pairer = Pairer(networks, secret_box, release_held)
    maintenance = AccountMaintenanceService(database, changes, accounts, jobs, pairer)
    directory = AccountDirectory(accounts)
    people = PeopleDirectory(networks)
    policy = AddressPolicy(settings.allow_private.value)
    own_ports = OwnPorts(settings.own_ports, open_url=settings.try_out_url)
    webhooks = WebhookService(database, changes, policy, secret_box, own_ports)
    organizations = OrganizationService(database, changes, settings.server.shards, preferred)
    counts_url = settings.rate_limit.url
    request_counts = RequestCounts(None if counts_url is None else counts_url.get_secret_value())
    refusals = RefusalAudit(database)
    api_keys = KeyService(
        database, notifications, changes, request_counts.require_storage, refusals
    )
    simulator = SimulatorService(networks)
    fetches = FetchService(uploads, downloader)
    places = ConversationPlaces.of(database)
    messages = MessageService(
        database,
        notifications,
        networks,
        directory,
        idempotency,
        files=MessageFiles(media, fetches, PreviewService(downloader)),
        renew=link_renewer(media),
        tracer=tracer,
        chats=places.of_chats,
    )
    cancellations = CancellationService(changes, messages)
    removals = RemovalService(database, notifications, changes, accounts, messages.renew)
    rates = RateLimiter(
        request_counts,
        ClientAddresses(settings.server.trusted_proxies),
        settings.rate_limit.address,
        settings.rate_limit.person,
    )
    return Services(
        settings=settings,
        database=database,
        notifications=notifications,
        networks=networks,
        secret_box=secret_box,
        secret_keys=keys,
        identity=identity,
        chores=chores,
        changes=changes,
        reports=ReportService(
            database,
            notifications,
            secret_box,
            renew=link_renewer(media),
            tracer=tracer,
            places=places,
        ),
        organizations=organizations,
        plans=PlanService(database, notifications),
        audit=AuditService(database),
        refusals=refusals,
        keys=api_keys,
        accounts=accounts,
        account_maintenance=maintenance,
        devices=DeviceService(database, changes, networks, accounts, secret_box),
        pairing=PairingService(changes, networks, accounts, pairer),
        removals=removals,
        organization_removals=OrganizationRemovalService(
            changes, organizations, accounts, webhooks, removals
        ),
        live=LiveService(database, notifications),
        messages=messages,
        message_edits=EditService(database, changes, networks, directory, messages, cancellations),
        cancellations=cancellations,
        message_history=MessageHistoryService(database, messages, accounts, webhooks),
        conversations=ConversationService(database, people, media, changes),
        inbox=InboxService(database, messages, changes),
        notes=NoteService(database, changes),
        labels=LabelService(database, changes, add_label_events, add_contact_label_events),
        canned_replies=CannedReplyService(database, changes),
        contacts=ContactService(database, networks, directory, jobs, media),
        contact_book=ContactBookService(database, media, changes),
        groups=GroupService(networks, accounts, directory, jobs),
        group_management=GroupManagementService(database, networks, directory, jobs),
        number_checks=NumberCheckService(networks, directory, jobs),
        signals=SignalService(database, networks, directory, jobs),
        statistics=StatisticsService(database),
        webhooks=webhooks,
        deliveries=DeliveryService(database, changes, webhooks),
        replays=ReplayService(database, changes, webhooks),
        event_log=EventLogService(database, notifications),
        resends=ResendService(database, messages),
        message_lists=MessageListService(database, changes, people, renew=messages.renew),
        delivery_report=DeliveryReportService(database, webhooks),
        media=media,
        media_library=MediaLibraryService(database, changes, objects, links),
        uploads=uploads,
        fetches=fetches,
        simulator=simulator,
        demo=DemoService(networks, organizations, accounts, api_keys),
        readiness=_build_readiness(settings, database, networks),
        object_storage=ObjectStorageProbe(settings, objects),
        backlog=BacklogService(database),
        request_counts=request_counts,
        rates=rates,
        retention=RetentionService(database, settings.retention, identity, media, chores),
        browser_sessions=BrowserSessionService(database, secret_box, refusals),
        members=MemberService(
            database,
            changes,
            keys,
            rates,
            refusals,
            settings.public_url,
            settings.sign_in.issuer,
            preferred if settings.has_local_sign_in else None,
        ),
        tracer=tracer,
    )


def _build_readiness(
    settings: Settings, database: Database, networks: NetworkRegistry
) -> ReadinessService:
    url, revisions = settings.database_url, Revisions(networks.list_migration_folders())
    workers = WorkersService(url, revisions, settings.server.shards)
    return ReadinessService(
        database,
        revisions,
        several_hosts=len(list_hosts(url)) > 1,
        workers=workers if database.is_distributed else None,
    )


def _downloader(settings: Settings, database: Database) -> Downloader:
    """Return a client that fetches from public addresses only, whatever webhooks are allowed."""
    own_ports = OwnPorts(settings.own_ports, lambda: database.read(list_admin_ports))
    resolver = SystemResolver()
    client = GuardedClient(
        AddressPolicy.NONE, resolver, own_ports=own_ports, timeout=DOWNLOAD_TIMEOUT
    )
    return Downloader(client, resolver)


def build_loops(
    services: Services,
    *,
    name: str,
    version: str,
    admin_port: int,
    report_id: Callable[[UUID], None] = lambda _: None,
) -> NodeLoops:
    """Build the loops of a node, for the roles in the settings.

    `report_id` is called with each id that the node takes.
    """
    settings, database = services.settings, services.database
    roles = sorted(role.value for role in settings.server.roles)
    heartbeat = Heartbeat(
        database,
        name=name,
        roles=roles,
        version=version,
        schema_revision=Revisions().schema_revision,
        admin_port=admin_port,
        lease_timeout=settings.interval.lease_timeout,
        report_id=report_id,
    )
    services.identity.heartbeat = heartbeat
    loops = NodeLoops(heartbeat, services.reports, services.keys, services.refusals)
    loops.add_loop(watch_event_loop)
    loops.add_loop(partial(watch_disk, settings.data_dir))
    attempt = services.chores.attempt
    loops.add_loop(partial(services.keys.usage.run, attempt))
    loops.add_loop(services.refusals.run)
    if Role.API in settings.server.roles:
        loops.add_loop(partial(services.uploads.run, attempt))
    if Role.SESSIONS in settings.server.roles:
        health = write_health_checks_to(database)
        loops.add_sessions(*_sessions(services, heartbeat, health))
        loops.add_loop(partial(health.run, attempt))
        janitor = Janitor(
            database,
            services.notifications,
            services.changes,
            networks=services.networks,
            renew=services.messages.renew,
            sweep_interval=settings.interval.sweep_interval,
            also=[(Chore.FINISH_LABELS, services.labels.finish_changes)],
            attempt=attempt,
        )
        loops.add_loop(janitor.run)
        loops.add_loop(services.retention.run)
        indexer = MessageIndexer(
            database, is_in_turn=lambda: heartbeat.is_first(Role.SESSIONS), attempt=attempt
        )
        loops.add_loop(indexer.run)
    if Role.DELIVERIES in settings.server.roles:
        loops.add_deliveries(*_deliveries(services, heartbeat))
    return loops


def _sessions(
    services: Services, heartbeat: Heartbeat, health: HealthChecks
) -> tuple[LeaseKeeper, SessionWorker]:
    keeper = LeaseKeeper(
        cluster_sql.ACCOUNT_LEASES,
        role=Role.SESSIONS,
        database=services.database,
        notifications=services.notifications,
        heartbeat=heartbeat,
        attempt=services.chores.attempt,
    )
    context = SessionContext(
        database=services.database,
        notifications=services.notifications,
        networks=services.networks,
        reports=services.reports,
        media=services.media,
        secret_box=services.secret_box,
        keeper=keeper,
        health=health,
        health_check_interval=services.settings.interval.health_check_interval,
        senders=services.messages.senders,
        tracer=services.tracer,
        attempt=services.chores.attempt,
    )
    return keeper, SessionWorker(context)


def _deliveries(
    services: Services, heartbeat: Heartbeat
) -> tuple[LeaseKeeper, DeliveryWorker, GuardedClient, SystemResolver]:
    keeper = LeaseKeeper(
        cluster_sql.WEBHOOK_LEASES,
        role=Role.DELIVERIES,
        database=services.database,
        notifications=services.notifications,
        heartbeat=heartbeat,
        attempt=services.chores.attempt,
    )
    resolver = SystemResolver()
    settings = services.settings
    client = GuardedClient(
        AddressPolicy(settings.allow_private.value),
        resolver,
        own_ports=OwnPorts(
            settings.own_ports,
            lambda: services.database.read(list_admin_ports),
            open_url=settings.try_out_url,
        ),
    )
    worker = DeliveryWorker(
        services.database,
        services.notifications,
        client,
        services.secret_box,
        keeper.is_valid,
        random.random,
        sweep_interval=settings.interval.sweep_interval,
        tracer=services.tracer,
        attempt=services.chores.attempt,
    )
    return keeper, worker, client, resolver
