"""What a topology is predicted to carry, as a table and as JSON."""

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table

from bench.capacity.costs import Costs
from bench.capacity.latency import Latency, simulate
from bench.capacity.model import (
    Topology,
    cost_at,
    idle_postgres_cores,
    nodes_for,
    predict,
    shares_at,
    stored_gb_per_day,
)
from bench.capacity.points import Checked

RATES = (100, 1_000, 10_000, 100_000)
_LATENCY_AT = (0.1, 0.5, 0.8, 0.9)


class Need(msgspec.Struct, frozen=True):
    """What a rate needs, where no resource may be used up."""

    rate: float
    nodes: int
    postgres_cores: float
    wal_mb_per_second: float
    transactions_per_second: float
    connections: float
    stored_gb_per_day: float
    posts_per_second: float


class Waiting(msgspec.Struct, frozen=True):
    """How long messages wait at a share of what a node carries."""

    share: float
    rate: float
    latency: Latency


class Report(msgspec.Struct, frozen=True):
    nodes: int
    cores: int
    workers: int
    is_one_machine: bool
    accounts: int
    rate: float
    first: str
    shares: dict[str, float]
    idle_postgres_cores: float
    memory_gib: float
    connections: float
    waiting: list[Waiting]
    needs: list[Need]


def report_on(costs: Costs, topology: Topology) -> Report:
    found = predict(costs, topology)
    per_node = predict(costs, Topology(cores=64)).rate
    memory = topology.nodes * costs.node_mib + topology.accounts * costs.account_kib / 1024
    return Report(
        nodes=topology.nodes,
        cores=topology.cores,
        workers=topology.workers,
        is_one_machine=topology.is_one_machine,
        accounts=topology.accounts,
        rate=round(found.rate, 1),
        first=found.first,
        shares={name: round(share, 3) for name, share in found.shares.items()},
        idle_postgres_cores=round(idle_postgres_cores(costs, topology), 2),
        memory_gib=round(memory / 1024, 2),
        connections=topology.nodes * costs.connections,
        waiting=[
            Waiting(share, round(share * per_node), simulate(costs, share * per_node))
            for share in _LATENCY_AT
        ],
        needs=[need_of(costs, rate, topology.accounts) for rate in RATES],
    )


def need_of(costs: Costs, rate: float, accounts: int = 0) -> Need:
    """Say how much of everything a rate takes."""
    nodes = nodes_for(costs, rate, accounts=accounts)
    each = cost_at(costs, nodes, rate)
    one_core = Topology(nodes=nodes, cores=1, accounts=accounts, wal_mb_per_second=1e9)
    postgres = shares_at(costs, one_core, rate, given=each)["PostgreSQL's cores"]
    return Need(
        rate=rate,
        nodes=nodes,
        postgres_cores=round(postgres, 1),
        wal_mb_per_second=round(rate * each.wal_bytes / 1e6, 1),
        transactions_per_second=round(rate * each.transactions),
        connections=nodes * costs.connections,
        stored_gb_per_day=round(stored_gb_per_day(costs, rate), 1),
        posts_per_second=3 * rate,
    )


def show_report(console: Console, report: Report) -> None:
    console.print(
        f"[bold]{report.rate:,.0f} messages a second[/bold]; used up first: {report.first}.\n"
        f"Memory {report.memory_gib:,.1f} GiB, connections {report.connections:,.0f}, idle "
        f"PostgreSQL {report.idle_postgres_cores:,.2f} cores."
    )
    if report.shares[report.first] > 1:
        console.print(
            f"[red]Even with no message, more than all of {report.first} is used:[/red] take fewer "
            "nodes and accounts, or more cores and workers."
        )
    table = _table("resource", "used")
    for name, share in report.shares.items():
        table.add_row(name, f"{share:.0%}")
    console.print(table)
    console.print("\nHow long messages wait on one node with a core of its own:")
    table = _table("one node at", "a second", "accept p50", "p99 ms", "to webhook p50", "p99 ms")
    for row in report.waiting:
        found = row.latency
        table.add_row(
            f"{row.share:.0%}",
            f"{row.rate:,.0f}",
            *(
                f"{value:,.1f}"
                for value in (
                    found.accept_p50_ms,
                    found.accept_p99_ms,
                    found.p50_ms,
                    found.p99_ms,
                )
            ),
        )
    console.print(table)
    console.print("\nWhat a rate needs, with a core for each node and one PostgreSQL:")
    console.print(_needs(report.needs))


def _needs(needs: Sequence[Need]) -> Table:
    table = _table(
        "a second", "nodes", "PostgreSQL cores", "WAL MB/s", "commits/s", "connections",
        "GB a day", "posts/s",
    )  # fmt: skip
    for need in needs:
        table.add_row(
            f"{need.rate:,.0f}",
            f"{need.nodes:,}",
            f"{need.postgres_cores:,.1f}",
            f"{need.wal_mb_per_second:,.1f}",
            f"{need.transactions_per_second:,.0f}",
            f"{need.connections:,.0f}",
            f"{need.stored_gb_per_day:,.0f}",
            f"{need.posts_per_second:,.0f}",
        )
    return table


def show_checked(console: Console, checked: Sequence[Checked]) -> None:
    table = _table("point", "measured", "model", "off by", "used to fit", "")
    for found in checked:
        table.add_row(
            f"{found.point.name}: {found.point.quantity}",
            f"{found.point.measured:,.4g}",
            f"{found.predicted:,.4g}",
            f"{found.error:+.0%}",
            "yes" if found.point.is_fitted else "",
            "[green]✓[/green]" if found.is_within else "[red]✗[/red]",
        )
    console.print(table)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(first, overflow="fold")  # it alone can be narrower than what it has
    for title in others:
        table.add_column(title, justify="right", no_wrap=True)
    return table
