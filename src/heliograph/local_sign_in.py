"""A sign-in for who sits at this machine: a small OpenID Connect provider on loopback.

It believes whoever gives a name, so it is started only where nobody from outside can come: the
gateway listens on loopback and brings its own database. The flow is the very same as with a real
provider. `serve` starts it as `python -m heliograph.local_sign_in N`, N being the descriptor of
the socket on which it answers.
"""

import socket
import sys
import warnings
from pathlib import Path
from typing import cast

from flask import Flask
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.serving import WSGIRequestHandler, make_server

from heliograph.logs import configure_logs
from heliograph.settings import load_settings

_TEMPLATES = Path(__file__).parent / "dashboard" / "templates" / "local_sign_in"


class _QuietHandler(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nobody reads it."""


def run_local_sign_in(descriptor: int) -> None:
    """Serve until a signal ends the process."""
    with socket.socket(fileno=descriptor) as listener:
        host, port = listener.getsockname()[:2]
        server = make_server(
            host,
            port,
            _make_app(),
            threaded=True,
            request_handler=_QuietHandler,
            fd=listener.fileno(),
        )
        server.serve_forever()


def _make_app() -> Flask:
    with warnings.catch_warnings(record=True):  # Authlib's of its own modules, which it lets nobody
        # ignore, and which would stand between the lines of our log
        from oidc_provider_mock import app
    made = app(require_nonce=True, issue_refresh_token=False)
    made.debug = False
    made.wsgi_app = made.wsgi_app.app  # without the debugger that it wraps around itself
    theirs = made.jinja_loader
    made.jinja_loader = ChoiceLoader([FileSystemLoader(_TEMPLATES), theirs])
    return cast("Flask", made)


if __name__ == "__main__":
    configure_logs(load_settings().log)
    run_local_sign_in(int(sys.argv[-1]))
