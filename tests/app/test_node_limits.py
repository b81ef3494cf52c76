"""What a node does about the limits that it was started with."""

import resource
import subprocess
import sys

PROGRAM = """
import resource
from heliograph.app.node_process import raise_file_limit

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 512))
raise_file_limit()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


LIMITED = """
import resource
from heliograph.app.server import configure_server
from heliograph.settings import ConnectionSettings, Settings

resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
settings = Settings(connection=ConnectionSettings(limit=4096))
limits = configure_server(None, settings=settings).http.keywords["limits"]
print(sum(limits.admit(object(), "127.0.0.1") for _ in range(100)))
"""


def test_connections_leave_half_of_the_files_for_the_rest() -> None:
    result = subprocess.run(
        [sys.executable, "-c", LIMITED], check=True, capture_output=True, text=True
    )
    assert result.stdout == "50\n"


def test_it_may_open_as_many_files_as_it_is_allowed() -> None:
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 512
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert result.stdout == "512 512\n"
