"""What a node does about the limits that it was started with."""

import resource
import subprocess
import sys

PROGRAM = """
import resource
from heliograph.node import raise_file_limit

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 512))
raise_file_limit()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_it_may_open_as_many_files_as_it_is_allowed() -> None:
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 512
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert result.stdout == "512 512\n"
