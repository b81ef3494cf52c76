"""The program `heliograph`, also as `python -m heliograph`.

Ctrl-C ends it without a word, with the exit code that shells know: also while it is being loaded,
which takes longer than most commands.
"""

import gc
import os
import signal
import sys
from typing import NoReturn

INTERRUPTED = 128 + signal.SIGINT


def main() -> NoReturn:
    """Load the command line, and run it."""
    can_be_interrupted = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if can_be_interrupted:  # whoever started it may have it ignore the signal
        signal.signal(signal.SIGINT, _end)
    gc.disable()  # what is loaded is no garbage, and to look for it takes a seventh of the time
    from heliograph.faces.cli import main as run  # which is what takes long

    gc.freeze()
    gc.enable()
    sys.unraisablehook = _report_unraisable
    try:
        if can_be_interrupted:  # from here on there may be something to close
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def _report_unraisable(dropped: "sys.UnraisableHookArgs", /) -> None:
    """Let no Ctrl-C be dropped that comes while a finalizer or a callback of C runs."""
    is_interrupt = dropped.exc_type is KeyboardInterrupt
    if is_interrupt and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(dropped)


def _end(number: int, frame: object) -> NoReturn:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
