"""What an installation may lack: the extras, and the command that adds one to this installation."""

import json
import os
import sys
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

from heliograph import __version__

_NAME = "heliograph"
_UVX_CACHE = "archive-v"
"""How uv names the folder of environments that live for one call; others have a receipt."""


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return find_spec(package) is not None


def how_to_install(extra: str) -> str:
    """Return the command that adds an extra to this installation, in the way the installation was
    made."""
    environment = Path(sys.prefix)
    if find_uvx() is not None:
        return f"uvx --from '{require(extra)}' heliograph"
    if (environment / "uv-receipt.toml").exists():
        return f"uv tool install '{require(extra)}'"
    if (environment / "pipx_metadata.json").exists():
        return f"pipx inject {_NAME} '{_NAME}[{extra}]'"
    return f"pip install '{_NAME}[{extra}]'"


def find_uvx() -> str | None:
    """Return uv's program if this process was started by `uvx`, whose environment is its own."""
    if not Path(sys.prefix).parent.name.startswith(_UVX_CACHE):
        return None
    return os.environ.get("UV")


def require(extra: str) -> str:
    """Return the requirement of this very release with an extra, from where this one came (PEP
    610: an index, a file, a repository)."""
    origin = json.loads(distribution(_NAME).read_text("direct_url.json") or "{}")
    if "url" not in origin:
        return f"{_NAME}[{extra}]=={__version__}"
    version_control = origin.get("vcs_info")
    if version_control is None:
        return f"{_NAME}[{extra}] @ {origin['url']}"
    url = f"{version_control['vcs']}+{origin['url']}@{version_control['commit_id']}"
    return f"{_NAME}[{extra}] @ {url}"
