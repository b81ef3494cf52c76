"""What a process is called, in every log line and in the table `nodes`."""

import os
import socket


def node_name() -> str:
    """Return what this process is called in logs and in the table `nodes`: `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"
