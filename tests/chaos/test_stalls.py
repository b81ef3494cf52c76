"""What a machine that stood still is forgiven, and what it is not."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

from acceptance.running_program import wait_for
from chaos.stalls import Stalls

TESTS = Path(__file__).parents[1]
PROGRAM = """
import sys, time
from pathlib import Path
from chaos.stalls import Stalls

with Stalls(Path(sys.argv[1])).noted() as stalls:
    sys.stdin.readline()
    time.sleep(0.5)
print(stalls.worst)
"""


def noted(folder: Path, *stalls: tuple[float, float]) -> Stalls:
    found = Stalls(folder)
    for at, seconds in stalls:
        found.note(at, seconds)
    return found


def test_a_quiet_machine_is_forgiven_nothing(tmp_path: Path) -> None:
    stalls = noted(tmp_path, *[(tenth / 10, 0.02) for tenth in range(1000)])
    assert (stalls.worst, stalls.are_felt) == (0.0, False)


def test_stalls_beside_each_other_count_together(tmp_path: Path) -> None:
    assert noted(tmp_path, (5.0, 2.0), (10.0, 3.0), (60.0, 4.0)).worst == 5.0


def test_a_process_that_stood_still_has_noted_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, cwd=TESTS, text=True) as process:
        wait_for(lambda: any(path.stat().st_size for path in tmp_path.iterdir()))
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
        told, _ = process.communicate("go on\n")
    assert float(told) > 1.2
