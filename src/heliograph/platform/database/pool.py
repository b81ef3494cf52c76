"""The only access to the database: a pool, transactions that survive its failures, and a clock.

`Database.transact` runs a piece of work in one transaction and repeats it where that is safe:
deadlocks and serialization failures, connections that broke, a server that is starting up. The work
may therefore run more than once, even after a commit whose answer was lost, so it must be written
to be repeatable: ids are made beforehand, and rows are inserted with `ON CONFLICT DO NOTHING`; what
follows from a row has new ids and is inserted only by the transaction that changed that row; and
counters change only by the rows that the transaction itself changed.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from copy import copy
from functools import partial
from typing import Any, Concatenate, ParamSpec, Self, TypeAlias, TypeVar
from uuid import UUID

import asyncpg
from asyncpg.transaction import Transaction

from heliograph.errors import DatabaseFullError, UnavailableError
from heliograph.platform.boot_time import boot_time
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.complaints import Complaints
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.failures import is_disk_full
from heliograph.platform.database.shares import Requester, Shares, find_requester, serving
from heliograph.platform.database.turns import ConnectionTurns

Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any] | asyncpg.Connection[Any]"
Row: TypeAlias = "asyncpg.Record"
P = ParamSpec("P")
T = TypeVar("T")

SEARCH_TIMEOUT = 2.0
"""Seconds that one statement of a search may take."""

_RETRIED_AT_ONCE = ("40001", "40P01")
_MAX_PAUSE = 1.0
_OUT_OF_SERVICE = (
    "25006",  # read-only: a server that is no longer the primary
    "25P03",  # this process was suspended in mid-transaction until the server gave up on it
    "53100",  # disk full
    "53200",  # out of memory
    "53300",  # too many connections
    "57014",  # the statement timeout
    "57P01",  # shut down by an administrator
    "57P02",  # another server process crashed
    "57P03",  # starting up
    "58030",  # a failing disk; from Citus, a COPY to a lost worker
)

_LOST_WORKER = (
    "failure on connection marked as essential",
    "could not commit transaction for shard",
    # libpq's wording
    "SSL SYSCALL error",
    "SSL connection has been closed",
    "server closed the connection",
    "could not receive data from server",
    "could not send data to server",
    "no connection to the server",
)
"""The beginning of Citus's message, an internal error, when a worker is lost in mid-transaction."""


class RepeatTransactionError(Exception):
    """Raised by work that lost a race with another writer: the transaction runs again from the
    start."""


class SlowSearchError(Exception):
    """Raised by a search if one of its statements took longer than `SEARCH_TIMEOUT`."""


def is_connection_failure(error: BaseException) -> bool:
    """Return whether the database, rather than the statement, is to blame."""
    if isinstance(error, asyncpg.PostgresError):
        state = error.sqlstate or ""
        is_of_a_worker = state == "XX000" and str(error).startswith(_LOST_WORKER)
        return state.startswith(("08", "28")) or state in _OUT_OF_SERVICE or is_of_a_worker
    return isinstance(error, (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError))


def is_worth_repeating(error: BaseException) -> bool:
    """Return whether the same transaction is likely to succeed if it is repeated at once.

    It conflicted with another writer, or with a migration that changed a statement's result.
    """
    if isinstance(error, asyncpg.InvalidCachedStatementError):
        return True
    if isinstance(error, asyncpg.PostgresError):
        return error.sqlstate in _RETRIED_AT_ONCE
    return isinstance(error, RepeatTransactionError)


def pause_after(attempts: int) -> float:
    """Return the seconds to wait after this many failed attempts; retrying may go on for days."""
    return float(min(0.01 * 2 ** min(attempts, 10), _MAX_PAUSE))


class Database:
    """A pool of connections to the gateway's PostgreSQL."""

    request_timeout = 5.0
    """Seconds a request waits for the database before it is answered with 503."""

    def __init__(
        self, pool: "asyncpg.Pool[Any]", clock: Clock, open_pool: "Callable[..., asyncpg.Pool[Any]]"
    ) -> None:
        self.pool = pool
        self.clock = clock
        self._open_pool = open_pool
        # asyncpg gives a free connection to any task that asks at that moment; the task that was
        # woken for it goes to the end of the queue: under load some would wait for seconds, and
        # give up
        self._turns = ConnectionTurns(pool.get_max_size())
        self._shares = Shares(pool.get_max_size())
        self._timeout: float | None = self.request_timeout
        self._settings: tuple[str, ...] = ()
        self.is_distributed = False
        self.complaints = Complaints()
        self.on_lost_connection: list[Callable[[], None]] = []
        """Called whenever a connection has ended, including idle ones: the server may have crashed,
        and have lost commits that were not flushed."""

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        pool_size: int = 10,
        connect_timeout: float = 2.0,
        statement_timeout: float = 5.0,
        application_name: str = "heliograph",
    ) -> Self:
        """Connect and measure the clock. Times are in seconds, `connect_timeout` for each host.
        Raises what asyncpg raises."""
        session = _Session(statement_timeout)
        open_pool = partial(
            asyncpg.create_pool,
            connect=Hosts(url).connect,
            connection_class=PoolConnection,
            init=session.begin,
            timeout=connect_timeout,
            command_timeout=statement_timeout * 2,
            max_inactive_connection_lifetime=300,
            reset=_keep_as_it_is,
            # for all of the gateway's statements, however long: their number is fixed, and those
            # with rows as values exceed asyncpg's default size
            statement_cache_size=300,
            max_cacheable_statement_size=0,
            # no other settings: a pooler refuses unknown ones
            server_settings={"application_name": application_name, "timezone": "UTC"},
        )
        lost = _LostConnections(session)
        pool = await open_pool(min_size=min(2, pool_size), max_size=pool_size, init=lost.watch)
        database = cls(pool, Clock(), open_pool)
        lost.on_lost = database._lost_connection
        await database.measure_clock()
        database.is_distributed = await database.read(_is_distributed)
        return database

    async def open_apart(self) -> "Database":
        """Open the same database and clock over one connection of its own.

        For work that must not wait for a busy pool. The caller closes it. Raises what asyncpg
        raises.
        """
        pool = await self._open_pool(min_size=1, max_size=1)
        apart = Database(pool, self.clock, self._open_pool)
        apart.is_distributed = self.is_distributed
        apart.complaints = self.complaints
        return apart

    def _lost_connection(self) -> None:
        for callback in self.on_lost_connection:
            callback()

    async def close(self) -> None:
        """Close the pool, and terminate connections that do not end within two seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.pool.close(), 2)
        self.pool.terminate()

    async def measure_clock(self) -> None:
        """Set the clock's offset. Raises what asyncpg raises, and `TimeoutError`."""
        async with asyncio.timeout(self.request_timeout), self._connection() as connection:
            before = boot_time()
            theirs = await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())")
            after = boot_time()
        self.clock.set_offset(float(theirs) - (before + after) / 2)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        """Take a connection from the pool in turn, and terminate it if it is abandoned or
        read-only."""
        turn = self._turns.hold(in_haste=self._timeout is not None)
        async with turn, self.pool.acquire() as connection:
            try:
                yield connection
            except (asyncio.CancelledError, TimeoutError, asyncpg.ReadOnlySQLTransactionError):
                # asyncpg would wait until the server has ended the statement, which a hanging
                # server never does; after a read-only server, the next one may be reached
                connection.terminate()
                raise

    def within(self, timeout: float | None) -> Self:
        """Return the same database with another timeout in seconds; with None, which workers use,
        it never gives up."""
        patient = copy(self)
        patient._timeout = timeout
        return patient

    def unflushed(self) -> Self:
        """Return the same database for transactions whose commit does not wait for the disk or a
        standby: a crash or a failover may undo them, though never partly. On a distributed
        database, commits wait as usual."""
        if self.is_distributed:
            return self
        return self._with_setting("synchronous_commit TO off")

    def impatient(self, seconds: float) -> Self:
        """Return the same database for transactions in which no statement waits longer than this
        for a lock. Such a transaction raises `asyncpg.LockNotAvailableError` and is rolled back."""
        return self._with_setting(f"lock_timeout TO {max(1, round(seconds * 1000))}")

    def _with_setting(self, setting: str) -> Self:
        changed = copy(self)
        changed._settings = (*self._settings, setting)
        return changed

    def transact(
        self,
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **options: P.kwargs,
    ) -> Coroutine[Any, Any, T]:
        """Run `work` in a transaction, repeated until it commits. Returns its result.

        `work` is called with a connection and with the arguments given here. Raises
        `UnavailableError` if the database could not be reached within `request_timeout` seconds, or
        those given to `within`, and whatever else `work` raises.
        """

        def bound(connection: Connection) -> Awaitable[T]:
            return work(connection, *args, **options)

        return self._repeat(
            partial(self._once, bound),
            lambda error: _is_failure(error) or is_worth_repeating(error),
        )

    async def _once(
        self,
        work: Callable[[Connection], Awaitable[T]],
        connection: Connection,
        progress: "_Progress",
    ) -> T:
        if find_requester() is None:
            self._shares.note_work()
        transaction = self._transaction_on(connection)
        await transaction.start()
        try:
            result = await work(connection)
            if progress.is_repeated_commit:
                await await_standbys(connection)
            progress.committing = True
            await transaction.commit()
        except TimeoutError:
            raise
        except Exception:
            with suppress(Exception):
                await transaction.rollback()
            raise
        return result

    def _transaction_on(self, connection: Connection) -> "Transaction | _Adjusted":
        if not self._settings:
            return connection.transaction()
        adjusted = _AdjustedOnCitus if self.is_distributed else _Adjusted
        return adjusted(connection, self._settings)

    def read(
        self,
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **options: P.kwargs,
    ) -> Coroutine[Any, Any, T]:
        """Run single statements that need no transaction, repeating them as `transact` does."""

        # no extra coroutines here: each would have to be resumed whenever the database answers
        def once(connection: Connection, _: _Progress) -> Awaitable[T]:
            return work(connection, *args, **options)

        return self._repeat(once, _is_failure)

    async def search(
        self,
        organization_id: UUID,
        work: Callable[Concatenate[Connection, P], Awaitable[T]],
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        """Run the statements of a search, each for at most `SEARCH_TIMEOUT` seconds. Concurrent
        searches are limited, in total and for each organization.

        Raises `SlowSearchError`, and `TooManyReadsError` if there is no free slot in time.
        """

        async def limited(connection: Connection) -> T:
            try:
                return await work(connection, *args, **options)
            except asyncpg.QueryCanceledError as error:
                raise SlowSearchError from error

        brief = self._with_setting(f"statement_timeout TO {int(SEARCH_TIMEOUT * 1000)}")
        # the planner ignores the cost of fetching long values, which are stored outside the
        # table, and would rather read those of all organizations than use an index
        brief = brief._with_setting("enable_seqscan TO off")
        await self._shares.await_search(organization_id, self.request_timeout)
        try:
            with serving(Requester(organization_id, only_reads=True)):
                return await brief.transact(limited)
        finally:
            self._shares.searches.release(organization_id)

    def _share(self) -> AbstractAsyncContextManager[None]:
        """Return a block that waits for a slot, if this task serves a request."""
        requester = find_requester()
        if requester is None or self._timeout is None:
            return nullcontext()
        return self._shares.place_of(requester)

    async def _repeat(
        self,
        once: "Callable[[Connection, _Progress], Awaitable[T]]",
        is_repeated: Callable[[Exception], bool],
    ) -> T:
        started, attempt, in_doubt, timeout = time.monotonic(), 0, False, self._timeout
        told: BaseException | None = None
        while True:
            progress = _Progress(is_repeated_commit=in_doubt)
            try:
                left = None if timeout is None else max(0.0, started + timeout - time.monotonic())
                async with asyncio.timeout(left), self._share():
                    progress.has_place = True
                    async with self._connection() as connection:
                        result = await once(connection, progress)
                        self._shares.note_answer()
                        return result
            except Exception as error:
                if not progress.has_place and not attempt:
                    raise self._shares.refusal(started) from None
                if isinstance(error, UnavailableError) or not is_repeated(error):
                    raise
                in_doubt = in_doubt or progress.committing
                attempt += 1
                # the time-out is less informative than the earlier failure
                told = error if str(error) else told
                cause = told or TimeoutError("the database gave no answer in time")
                self.complaints.note(cause, attempt)
                pause = pause_after(attempt)
                if timeout is not None and time.monotonic() - started + pause >= timeout:
                    kind = DatabaseFullError if is_disk_full(cause) else UnavailableError
                    raise kind(maybe_stored=in_doubt) from cause
                await asyncio.sleep(pause)


class PoolConnection(asyncpg.Connection):
    """A connection that knows its server."""

    __slots__ = ("is_on_citus",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_on_citus = False


def is_on_citus(connection: Connection) -> bool:
    """Return whether Citus distributes the statements of this connection; False for connections
    that were not made by a `Database`."""
    found: bool = getattr(connection, "is_on_citus", False)
    return found


class _LostConnections:
    """Notifies when a connection of a pool has ended."""

    def __init__(self, session: "_Session") -> None:
        self._session = session
        self.on_lost: Callable[[], None] = lambda: None

    async def watch(self, connection: "PoolConnection") -> None:
        await self._session.begin(connection)
        connection.add_termination_listener(lambda _: self.on_lost())


class _Adjusted:
    """A transaction with its own settings, begun in one round trip."""

    def __init__(self, connection: Connection, settings: Iterable[str]) -> None:
        self._connection = connection
        self._adjust = "; ".join(f"SET LOCAL {setting}" for setting in settings)

    async def start(self) -> None:
        await self._connection.execute(f"BEGIN; {self._adjust}")

    async def commit(self) -> None:
        await self._connection.execute("COMMIT")

    async def rollback(self) -> None:
        await self._connection.execute("ROLLBACK")


class _AdjustedOnCitus(_Adjusted):
    """The same in two round trips: Citus passes the whole text of a message on to the workers,
    where a second BEGIN causes a warning in each transaction."""

    async def start(self) -> None:
        await self._connection.execute("BEGIN")
        await self._connection.execute(self._adjust)


class _Progress:
    """The progress of a transaction: once `committing`, a failure leaves its outcome unknown.
    `is_repeated_commit` means that the outcome of an earlier attempt's commit is unknown,
    `has_place` that it no longer has to wait for other reads."""

    def __init__(self, *, is_repeated_commit: bool) -> None:
        self.is_repeated_commit = is_repeated_commit
        self.has_place = False
        self.committing = False


AWAIT_STANDBYS = "SELECT pg_logical_emit_message(true, 'heliograph', '')"


async def await_standbys(connection: Connection) -> None:
    """Make this transaction's commit wait for the synchronous standby, though it changes nothing:
    for answers that confirm rows written earlier.

    A commit that waits for its standby is already on the primary. If the wait is interrupted, by a
    shutdown, a crash or `pg_terminate_backend`, its rows become visible, and a failover may still
    undo them (PostgreSQL's documentation, 26.2.8). A read-only transaction does not wait; a record
    in the write-ahead log makes it wait for everything before that.
    """
    await connection.execute(AWAIT_STANDBYS)


# Generic plans: planning for specific values takes the server longer than running the plan for a
# few rows. On Citus, the values decide which server is asked. There, each catalog query checks for
# each table whether to hide it, and asyncpg's query for a type would take a second. Locks are
# awaited on the workers, which are not sent a transaction's `lock_timeout` by default. And a
# statement on all shards would open up to sixteen connections to each worker, which keeps one:
# using only that one takes a quarter to a sixth of the time.
BEGIN_SESSION = """
SELECT set_config('statement_timeout', $1, false),
    set_config('idle_in_transaction_session_timeout', $2, false),
    CASE WHEN is_on_citus
        THEN set_config('citus.override_table_visibility', 'off', false)
            || set_config('citus.propagate_set_commands', 'local', false)
            || set_config('citus.max_adaptive_executor_pool_size', '1', false)
        ELSE set_config('plan_cache_mode', 'force_generic_plan', false)
    END,
    is_on_citus
FROM (
    SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS is_on_citus
) AS server
"""


class _Session:
    """The settings of a new connection; they are set afterward rather than requested when it is
    opened, since a pooler in between may refuse that or silently ignore it."""

    def __init__(self, statement_timeout: float) -> None:
        # A frozen process must not hold its locks for longer than its lease.
        limits = (statement_timeout * 1000, statement_timeout * 2000)
        self._limits = [str(int(limit)) for limit in limits]

    async def begin(self, connection: "PoolConnection") -> None:
        [row] = await connection.fetch(BEGIN_SESSION, *self._limits)
        connection.is_on_citus = row["is_on_citus"]


async def _is_distributed(connection: Connection) -> bool:
    """Return whether the tables' shards may be on other servers (Citus)."""
    found: bool = await connection.fetchval(
        "SELECT count(*) > 0 FROM pg_extension WHERE extname = 'citus'"
    )
    return found


async def _keep_as_it_is(_: "asyncpg.Connection[Any]") -> None:
    """Reset nothing when a connection returns to the pool.

    This saves each transaction a round trip: nothing here changes a session, and asyncpg itself
    ends an interrupted transaction.
    """


def _is_failure(error: BaseException) -> bool:
    return is_connection_failure(error) or isinstance(error, TimeoutError)
