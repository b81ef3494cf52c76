"""The port on which the gateway listens, and the errors if it can't be used."""

import contextlib
import errno
import os
import socket

from heliograph.errors import ConfigurationError

_BACKLOG = 2048
_BESIDE = 20
"""How many ports are tried after one that is taken."""


class PortError(ConfigurationError):
    """The gateway can't listen on its address or port."""


def listen(host: str, port: int) -> socket.socket:
    """Listen on this address. Raises `PortError`."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        raise _explain(error, host, port) from None


def listen_beside(host: str, port: int) -> socket.socket:
    """Listen on the first free one of the next ports, if nobody has chosen a port. Raises
    `PortError`."""
    for beside in range(port + 1, port + _BESIDE):
        with contextlib.suppress(PortError):
            return listen(host, beside)
    return listen(host, port + _BESIDE)


def _explain(error: OSError, host: str, port: int) -> PortError:
    if error.errno == errno.EADDRINUSE:
        another = port + 1 if port < 65535 else port - 1
        return PortError(
            f"Port {port} of {host} is taken: another program listens there.",
            remedy="Stop it, or set HELIOGRAPH_PORT to another port, such as "
            f"HELIOGRAPH_PORT={another}.",
            setting="HELIOGRAPH_PORT",
        )
    return PortError(
        f"The gateway can't listen on {host} port {port}: {_reason(error)}.",
        remedy="Set HELIOGRAPH_PORT to another port, or HELIOGRAPH_HOST to an address of this "
        "machine.",
        setting="HELIOGRAPH_PORT",
    )


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):  # its numbers are not those of the system's errors
        return str(error.strerror)
    return os.strerror(error.errno or 0)
