"""Child processes that die with their parent, and those that an earlier program left to this
process."""

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
    """Return a `preexec_fn` for a child that gets the signal `kill_with` when this process dies.

    Only Linux can do that (prctl(2), PR_SET_PDEATHSIG); elsewhere it does nothing. The system
    watches the *thread* that starts the child, so that has to be the main one. A change of user
    clears the setting, so it is made after that, where `preexec_fn` runs.
    """
    parent = os.getpid()

    def tie() -> None:
        if _prctl is None:
            return
        _prctl(_PR_SET_PDEATHSIG, int(kill_with), 0, 0, 0)
        if os.getppid() != parent:  # it died before this was set
            os._exit(1)

    return tie


def die_with_parent(parent: int) -> None:
    """Have this process killed when `parent`, which started it without `tie_to_parent`, dies.

    Only Linux can do that.
    """
    if _prctl is None:
        return
    _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


class AdoptedChild:
    """A child of this process that is known by its id alone; does what `subprocess.Popen` does."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code once it has ended, negative for a signal; None before."""
        if self.returncode is None:
            with suppress(InterruptedError):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Return the exit code. Raises `subprocess.TimeoutExpired`; `timeout` is in seconds."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.01)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)
