"""Child processes: those that do not outlive the process that started them, and those that were
started by the program that ran before in this very process."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None


def tie_to_parent(kill_with: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn` for a child that gets the signal `kill_with` when this process dies.

    Linux alone can do that (prctl(2), PR_SET_PDEATHSIG); elsewhere it does nothing. The system
    watches the *thread* that starts the child, so that has to be the main one. A change of user
    clears the wish, which is why it is made after it, where `preexec_fn` runs.
    """
    parent = os.getpid()

    def tie() -> None:
        if _prctl is None:
            return
        _prctl(_PR_SET_PDEATHSIG, int(kill_with), 0, 0, 0)
        if os.getppid() != parent:  # it died before the wish was made
            os._exit(1)

    return tie


def die_with_parent(parent: int) -> None:
    """For a child that was started without `tie_to_parent`: be killed when the process `parent`,
    which started it, dies. Linux alone can do that."""
    if _prctl is None:
        return
    _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


class AdoptedChild:
    """A child of this process of which no `subprocess.Popen` is left: what that can, by its id."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code once it has ended, negative for a signal; None before."""
        if self.returncode is None:
            with suppress(InterruptedError):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float) -> int:
        """The exit code. Raises `subprocess.TimeoutExpired`; `timeout` is in seconds."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.01)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)
