"""Finds the library and loads it, once, when the first account of this network is connected.

The library's own loader downloads a binary where its version is not the one it expects. Nothing is
downloaded here: what does not fit is refused before it is loaded.
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

from heliograph.networks.errors import NetworkError

EXTRA = "heliograph[whatsapp]"
PACKAGE = "neonize"
_ARCHITECTURES = {"aarch64": "arm64", "x86_64": "amd64"}
_VERSION = re.compile(r"__GONEONIZE_VERSION__\s*=\s*[\"']([^\"']+)[\"']")
_lock = Lock()


class LibraryError(NetworkError):
    """The library is not there, or not as it must be. The message says what to do."""


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
    """Where the library is, without importing it. Raises `LibraryError`."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise LibraryError(f"WhatsApp needs an extra: pip install '{EXTRA}' on every node.")
    return Path(next(iter(spec.submodule_search_locations)))


def check_library(folder: Path) -> None:
    """Raises `LibraryError` where the library would download something."""
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
    """The file that holds the native part on this machine."""
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
    """The library sets up the root logger when it is imported: that is the program's to do."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
