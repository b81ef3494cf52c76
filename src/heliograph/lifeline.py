"""Child processes that do not outlive the process that started them."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

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
