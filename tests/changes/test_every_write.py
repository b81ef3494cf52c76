"""Every write says what it takes and what trace it leaves, and nothing is written past that."""

import ast
import importlib
import pkgutil
from pathlib import Path

import heliograph.core
from heliograph.core.changes.model import Write
from heliograph.core.jobs.writes import WRITES
from heliograph.core.tenants.scopes import MEMBER_SCOPES, SCOPES

CORE = Path(heliograph.core.__path__[0])

OWN_WAYS = {
    "audit/refusals.py": "counts what strangers try, and writes what it has counted in a batch",
    "cluster/chores.py": "records which chores fail, which belong to no tenant",
    "cluster/heartbeat.py": "nodes belong to no tenant",
    "cluster/leases.py": "leases of accounts and webhooks of all tenants are claimed in batches",
    "dispatch/account_session.py": "the state of a session under its lease, in batches",
    "dispatch/job_runner.py": "claims jobs under a lease, and keeps what the network answered",
    "dispatch/outbound.py": "claims messages under a lease, in batches",
    "idempotency/service.py": "keys of requests that are not answered in one transaction",
    "ingest/service.py": "what networks report, in batches of many tenants",
    "ingest/writing.py": "stores the events of such a batch",
    "keys/service.py": "when keys were last used, in batches",
    "media/library.py": "forgets a file's row once its object is gone",
    "media/service.py": "deletes what nobody refers to, in batches",
    "media/uploads.py": "an upload's row comes before its bytes, and its answer after them",
    "members/service.py": "sign-ins of people who belong to no tenant yet",
    "members/sessions.py": "sessions of people, who may belong to several tenants or none",
    "messages/accepting/service.py": "accepts the messages of many tenants together",
    "messages/edits/ending.py": "ends the messages of a shard whose time is over, in batches",
    "messages/search/index.py": "reads words of messages into the index, in batches",
    "organizations/service.py": "plans belong to no tenant",
    "removals/service.py": "cancels what a removed device leaves, in batches",
    "secret_keys/service.py": "the installation's own keys",
    "upkeep/janitor.py": "what is due by the clock, in batches of a shard",
    "upkeep/retention.py": "deletes what is too old, in batches",
    "webhooks/fan_out.py": "stores the events of those who call it, who are listed here",
    "webhooks/posting/outcomes.py": "how deliveries ended, in batches",
    "webhooks/posting/worker.py": "cancels deliveries of disabled webhooks, in batches",
    "webhooks/queue/batching.py": "opens and commits batches of deliveries under a lease",
}
"""Where rows are written otherwise, or somebody is woken, with the reason."""

_OF_WRITING = {
    "transact",
    "write_together",
    "fan_out",
    "notify",
    "notify_owner",
    "notify_here",
}


def list_writes() -> dict[str, Write]:
    """All of them by the places where they are declared."""
    found: dict[str, Write] = {str(kind): write for kind, write in WRITES.items()}
    for module in pkgutil.walk_packages(heliograph.core.__path__, "heliograph.core."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Write) and all(value is not each for each in found.values()):
                found[f"{module.name}.{name}"] = value
    return found


def list_written_otherwise() -> set[str]:
    """The files that write, or wake somebody, without `Changes`; those of statements apart."""
    return {
        str(file.relative_to(CORE))
        for file in CORE.rglob("*.py")
        if file.parent.name != "changes" and not file.stem.endswith("sql")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr in _OF_WRITING)
            or (isinstance(node.func, ast.Name) and node.func.id in _OF_WRITING)
        )
    }


def test_each_write_states_what_it_takes_and_leaves() -> None:
    problems, writes = [], list_writes()
    for name, write in writes.items():
        if write.scope is not None and write.scope not in (*SCOPES, *MEMBER_SCOPES):
            problems.append(f"{name}: there is no scope {write.scope}")
        if bool(write.audits) == bool(write.unaudited):
            problems.append(f"{name}: names its entries in the audit log, or says why it has none")
        if write.scope is None and (write.audits or write.is_repeatable):
            problems.append(f"{name}: nobody asks for what the gateway does by itself")
    assert problems == []
    assert len(writes) >= 40


def test_nothing_else_is_written_past_that() -> None:
    found = list_written_otherwise()
    assert found - OWN_WAYS.keys() == set(), "say why, or use Changes"
    assert OWN_WAYS.keys() - found == set(), "these use Changes by now"
