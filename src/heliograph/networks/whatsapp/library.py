"""The library: found and loaded once, when the first account of this network is connected.

The library's own loader downloads a binary if the installed version is not the expected one.
Nothing is downloaded here: a mismatch is refused before loading.
"""

import ctypes
import importlib
import importlib.util
import logging
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import ModuleType
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from heliograph.networks.errors import NetworkError
from heliograph.platform.extras import how_to_install

EXTRA = "heliograph[whatsapp]"
PACKAGE = "neonize"
_ARCHITECTURES = {"aarch64": "arm64", "x86_64": "amd64"}
_VERSION = re.compile(r"__GONEONIZE_VERSION__\s*=\s*[\"']([^\"']+)[\"']")
_lock = Lock()


class LibraryError(NetworkError):
    """The library is missing or does not match. The message says what to do."""


def load(module: str) -> ModuleType:
    """Import one of the driver's modules that need the library; takes a second the first time.

    Raises `LibraryError`.
    """
    with _lock:
        check_library(find_folder())
        try:
            with _untouched_logging():
                return importlib.import_module(module)
        except ImportError as error:
            raise LibraryError(_lack(error)) from error


def find_folder() -> Path:
    """Find the library without importing it. Raises `LibraryError`."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LibraryError(f"WhatsApp needs an extra: {how_to_install('whatsapp')} on every node.")
    return Path(next(iter(spec.submodule_search_locations)))


def check_library(folder: Path) -> None:
    """Raise `LibraryError` if the library would download something."""
    wanted = _VERSION.search((folder / "download.py").read_text(encoding="utf-8"))
    binary = folder / binary_name()
    if wanted is None:
        raise LibraryError(f"The library in {folder} is a release that is not known here.")
    if not binary.exists():
        raise LibraryError(
            f"The WhatsApp library has no {binary.name} for this machine, and would download it: "
            f"refused. Install '{EXTRA}' from a wheel for this machine."
        )
    found = _version_of(binary)
    if found != wanted[1]:
        raise LibraryError(
            f"The WhatsApp library's {binary.name} is version {found}, its package "
            f"{wanted[1]}, and it would download another: refused. Reinstall '{EXTRA}'."
        )


def binary_name() -> str:
    """Return the name of the native library on this machine."""
    machine = platform.machine().lower()
    system = platform.system().lower()
    ending = {"windows": "dll", "darwin": "dylib"}.get(system, "so")
    return f"{PACKAGE}-{system}-{_ARCHITECTURES.get(machine, machine)}.{ending}"


def _version_of(binary: Path) -> str:
    try:
        get_version = ctypes.CDLL(str(binary)).GetVersion
    except (OSError, AttributeError) as error:
        raise LibraryError(f"The WhatsApp library can't be loaded: {error}") from error
    get_version.restype = ctypes.c_char_p
    version: bytes = get_version()
    return version.decode()


def _lack(error: ImportError) -> str:
    if "libmagic" in str(error):
        return "The WhatsApp library needs libmagic: install libmagic1 (Debian) on every node."
    return f"The WhatsApp library can't be loaded: {error}. Install '{EXTRA}' anew."


@contextmanager
def _untouched_logging() -> Iterator[None]:
    """Undo the library's changes to the root logger on import."""
    # that logger belongs to the program
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


SCHEMA = "whatsapp"
IDLE_MILLISECONDS = 60_000
APPLICATION = "heliograph-whatsapp"
USUAL_PORT = 5432


def store_url(database_url: str) -> str:
    """Return the database's URL in the form of the library's own connection, with the driver's
    schema."""
    parts = urlsplit(database_url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    credentials, at, netloc = parts.netloc.rpartition("@")
    if netloc:  # the library's driver takes several hosts and ports only in the query
        hosts = [_split(host) for host in netloc.split(",")]
        query["host"] = ",".join(host for host, _ in hosts)
        query["port"] = ",".join(port for _, port in hosts)
    query.setdefault("sslmode", "prefer")
    if "," in query.get("host", ""):
        query.setdefault("target_session_attrs", "read-write")
    query["search_path"] = SCHEMA
    # an idle account keeps no connection: the library opens one when needed
    query["idle_session_timeout"] = str(IDLE_MILLISECONDS)
    query["application_name"] = APPLICATION
    asked = urlencode(query, quote_via=quote, safe=",")
    return f"postgres://{credentials}{at}{parts.path}?{asked}"


def _split(host: str) -> tuple[str, str]:
    """Return a host without the brackets of IPv6, and its port."""
    parts = urlsplit(f"//{host}")
    return parts.hostname or "", str(parts.port or USUAL_PORT)
