"""A driver serves all tenants of a process: what one account hears must change nothing for another.

So nothing in a driver's modules may be written to while it runs, and what hangs on the `Network`
object, which all accounts share, is known by name below, each with its reason.
"""

import ast
from collections.abc import Iterator, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import heliograph.networks
from debian_programs import need_library
from each_case import for_each
from heliograph.networks.port import Network, NetworkContext
from heliograph.networks.sandbox.driver import SandboxNetwork
from heliograph.networks.whatsapp.driver import WhatsAppNetwork
from heliograph.networks.xmpp.driver import XmppNetwork

FOLDER = Path(heliograph.networks.__file__).parent
DRIVERS = ("sandbox", "xmpp", "whatsapp")

CONTAINERS = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
FIXED = frozenset(
    {
        *("compile", "frozenset", "tuple", "maketrans", "timedelta", "datetime", "TypeVar"),
        *("get_logger", "Lock", "func_callback_bytes2"),
        *("Capabilities", "DemoAccount", "End", "FetchedPicture", "System"),
        *("Columns", "Numbering", "fill", "reads"),
    }
)
"""What is called for a module's constants, and gives what nobody can write to."""
WRITES = frozenset(
    {
        *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop"),
        *("popitem", "popleft", "remove", "setdefault", "update", "move_to_end"),
    }
)
CACHES = ("cache", "lru_cache", "cached_property")

SHARED = {
    "SandboxNetwork._resources.mailbox._attached": "by account: which session takes what is due",
    "SandboxNetwork._resources.mailbox._ready": "ids of accounts that were woken",
    "SandboxNetwork._resources.mailbox._handing": "by account: the hand-over that is under way",
    "SandboxNetwork._resources.mailbox._floors._known": "by account: where its mailbox begins",
    "SandboxNetwork._resources.outbox._sends._waiting": "sends for one statement, each answered "
    "by itself",
    "SandboxNetwork._resources.outbox._sends._running": "how many of these statements run",
    "SandboxNetwork._resources.outbox._sends._tasks": "the tasks that run them",
    "SandboxNetwork._arrivals.commit._waiting": "what phones say, for one statement",
    "SandboxNetwork._arrivals.commit._running": "how many of these statements run",
    "SandboxNetwork._arrivals.commit._tasks": "the tasks that run them",
    "SandboxNetwork._arrivals.commit._keys_apart": "none: nothing here gives up waiting",
    "SandboxNetwork._resources.outbox._sends._keys_apart": "none, as there",
    "WhatsAppNetwork._resources.under_way": "by account: its sends outlive its session",
}
"""What all accounts of a process share that can be written to, and why none meets another's."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for driver in DRIVERS:
        for path in sorted((FOLDER / driver).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path.relative_to(FOLDER)), ast.parse(path.read_text("utf-8"))


MODULES = dict(trees())


def named(call: ast.expr) -> str:
    """The last word of what is called."""
    return call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "?")


def bodies(tree: ast.Module) -> Iterator[tuple[str, list[ast.stmt]]]:
    """What runs when the module is imported: its own body and those of its classes."""
    yield "", tree.body
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield f"{node.name}.", node.body


def assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield ast.unparse(target), node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target), node.value


def state_in(tree: ast.Module) -> list[str]:
    """Names that a module binds to something that can be written to, beyond constants."""
    found = []
    for owner, body in bodies(tree):
        for name, value in assignments(body):
            is_constant = name.isupper()
            if isinstance(value, CONTAINERS) and not is_constant:
                found.append(f"{owner}{name}")
            if isinstance(value, ast.Call) and named(value.func) not in {*FIXED, "field"}:
                found.append(f"{owner}{name} = {named(value.func)}(…)")
    return found


def module_names(tree: ast.Module) -> set[str]:
    """Names of the module's own, and those it has from other modules: an upper-case one is a
    constant wherever it comes from."""
    own = {name for _, body in bodies(tree) for name, _ in assignments(body) if name.isidentifier()}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {name for name in own if name.isupper()} | {name for name in imported if name.isupper()}


def written_in(tree: ast.Module) -> list[str]:
    """Constants that something is written to, caches, and names declared `global`."""
    constants, found = module_names(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found.append(f"global {', '.join(node.names)}")
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found += [named(node.value)] if named(node.value) in constants else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_write = node.func.attr in WRITES and named(node.func.value) in constants
            found += [f"{named(node.func.value)}.{node.func.attr}"] if is_write else []
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            decorators = [
                decorator.func if isinstance(decorator, ast.Call) else decorator
                for decorator in node.decorator_list
            ]
            found += [
                f"@{named(decorator)} {node.name}"
                for decorator in decorators
                if named(decorator) in CACHES
            ]
    return found


@for_each("name", MODULES)
def test_a_drivers_modules_hold_nothing_that_is_written_to(name: str) -> None:
    tree = MODULES[name]
    assert state_in(tree) == [], f"{name} keeps state for the whole process"
    assert written_in(tree) == [], f"{name} writes to what the whole process shares"


@for_each(
    ("code", "found"),
    [
        ("_seen = set()", ["_seen = set(…)"]),
        ("_seen: dict[str, str] = {}", ["_seen"]),
        ("_known = Bounded()", ["_known = Bounded(…)"]),
        ("class Session:\n    rooms = []", ["Session.rooms"]),
        ("class Session:\n    rooms: list[str] = field(default_factory=list)", []),
        ("NUMBERS = {'1': 2}\n_WORD = re.compile('a')", []),
    ],
)
def test_state_of_a_module_is_found(code: str, found: list[str]) -> None:
    assert state_in(ast.parse(code)) == found


@for_each(
    ("code", "found"),
    [
        ("KNOWN = {}\ndef f(a):\n    KNOWN[a] = 1", ["KNOWN"]),
        ("KNOWN = {}\ndef f(a):\n    del KNOWN[a]", ["KNOWN"]),
        ("KNOWN = set()\ndef f(a):\n    KNOWN.add(a)", ["KNOWN.add"]),
        ("from x import KNOWN\ndef f(a):\n    KNOWN.update(a)", ["KNOWN.update"]),
        ("@cache\ndef f(a): ...", ["@cache f"]),
        ("@functools.lru_cache(maxsize=3)\ndef f(a): ...", ["@lru_cache f"]),
        ("def f():\n    global a\n    a = 1", ["global a"]),
        ("KNOWN = {}\ndef f(a):\n    known = dict(KNOWN)\n    known[a] = KNOWN[a]", []),
    ],
)
def test_writing_to_a_module_is_found(code: str, found: list[str]) -> None:
    assert written_in(ast.parse(code)) == found


# --- what hangs on the network -----------------------------------------------------------------


def context() -> NetworkContext:
    return NetworkContext(
        pool=None,  # type: ignore[arg-type]  # nothing is asked of it
        now=lambda: datetime.now(UTC),
        notify=lambda _: None,
        subscribe=lambda _, __: lambda: None,
        database_url="postgresql://localhost/x",
    )


def members(value: object) -> Iterator[tuple[str, Any]]:
    names = {*getattr(value, "__dict__", {}), *getattr(value, "__struct_fields__", ())}
    for kind in type(value).__mro__:
        slots = getattr(kind, "__slots__", ())
        names |= {slots} if isinstance(slots, str) else set(slots)
    for name in sorted(names):
        if hasattr(value, name):
            yield name, getattr(value, name)


def writable(value: object, way: str) -> Iterator[str]:
    """The ways to everything below a driver's object that can be written to."""
    for name, member in members(value):
        if isinstance(member, (MutableMapping, list, set, bytearray)) or hasattr(
            member, "appendleft"
        ):
            yield f"{way}.{name}"
        elif type(member).__module__.startswith("heliograph."):
            is_context = isinstance(member, NetworkContext)
            yield from () if is_context else writable(member, f"{way}.{name}")


def started(network: Network) -> Network:
    network.start(context())
    return network


def whatsapp() -> Network:
    need_library("magic", "libmagic1")
    from heliograph.networks.whatsapp.session import open_resources

    network = WhatsAppNetwork()
    network._resources = open_resources(context(), "")
    return started(network)


@pytest.mark.parametrize("make", [SandboxNetwork, XmppNetwork, whatsapp])
def test_what_all_accounts_share_is_known_and_has_its_reason(make: Any) -> None:
    network = started(make())
    ways = set(writable(network, type(network).__name__))
    known = {way for way in SHARED if way.startswith(type(network).__name__)}
    assert ways == known


def test_a_container_on_a_network_is_found() -> None:
    network = XmppNetwork()
    network._group_services = {"people.example.org"}  # type: ignore[attr-defined]  # as it once was
    assert list(writable(network, "XmppNetwork")) == ["XmppNetwork._group_services"]
