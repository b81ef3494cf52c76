"""One run of the library's client: its thread, its callbacks, and calls to it.

The native part must not be called before its first callback or after it was stopped, and it must
not be stopped during a call or before it is paired: each of these ends the whole process. This
class ensures that. So a client that is closed while it dials can't be kept from connecting; it is
disconnected within its first callback, which comes right after.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import structlog
from neonize.exc import NeonizeError

from heliograph.networks.errors import NetworkError, NotConnectedError
from heliograph.networks.whatsapp.conversion.disconnects import End, end_of_thread
from heliograph.networks.whatsapp.conversion.readable import readable
from heliograph.networks.whatsapp.failures import failure_of
from heliograph.networks.whatsapp.library_client import DEVICE, LibraryClient
from heliograph.networks.whatsapp.threads import ThreadQueue, call_aside, run_aside

T = TypeVar("T")
AT_ONCE = 8
"""The most concurrent calls of one account, each in a thread."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event of the library; `code` is the library's number for its kind."""

    code: int
    event: Any


@dataclass(frozen=True, slots=True)
class QrCode:
    payload: str


@dataclass(frozen=True, slots=True)
class PairingWord:
    """The library's status of a pairing: `success`, `timeout`, …"""

    status: str


Item = Arrived | QrCode | PairingWord | End
"""An item for the connection; an `End` if no event of the library reports it."""


class ClientRun:
    """One run of a client, created on the event loop. Its events go to `items`.

    Once it `is_down` it has disconnected or ended, and does not connect again.
    """

    def __init__(self, client: LibraryClient, items: ThreadQueue[Item]) -> None:
        self.items = items
        self.is_down = False
        self._client = client
        self._lock = Lock()
        self._is_ready = False
        self._knows_device = False
        self._has_returned = False
        self._is_closing = False
        self._is_stopped = False
        self._asking = 0
        self._turns = asyncio.Semaphore(AT_ONCE)

    def start(self) -> None:
        run_aside(self._run, "whatsapp-phone")

    async def ask(
        self,
        call: Callable[[LibraryClient], T],
        failure: Callable[[str], NetworkError] = failure_of,
    ) -> T:
        """Call the client in a thread and return its answer; who calls ends the wait.

        The thread then stays until the library has answered, which itself gives up on the network
        after 75 s. Raises `NetworkError`, made by `failure` from what the library says.
        """
        async with self._turns:
            self._begin()
            return await call_aside(partial(self._ask, call, failure), "whatsapp-call")

    def close(self) -> None:
        """Disconnect, and stop the client as soon as that is safe; does not wait.

        A client whose thread has not started yet never connects.
        """
        with self._lock:
            if self._is_closing:
                return
            self._is_closing = True
            hang_up = self._is_ready and not self._has_returned
        if hang_up:
            run_aside(self._hang_up, "whatsapp-close")
        else:
            self._stop_if_safe()

    # --- in the client's own thread ---

    def _run(self) -> None:
        with self._lock:
            is_wanted = not self._is_closing
            self._is_stopped = not is_wanted
        error = self._talk() if is_wanted else ""
        with self._lock:
            self._has_returned = True
        self.is_down = True
        self.items.put(end_of_thread(error))
        self._stop_if_safe()

    def _talk(self) -> str:
        try:
            return self._client.run(self)
        except Exception as raised:
            log.exception("whatsapp_phone_failed")
            return str(raised) or type(raised).__name__

    def on_event(self, code: int, event: Any) -> None:
        self._called_back(knows_device=code == DEVICE)
        self.items.put(Arrived(code, readable(event)))

    def on_code(self, code: str) -> None:
        self._called_back()
        self.items.put(QrCode(code))

    def on_pairing(self, status: str) -> None:
        self._called_back()
        self.items.put(PairingWord(status))

    def _called_back(self, *, knows_device: bool = False) -> None:
        with self._lock:
            is_first = not self._is_ready
            self._is_ready = True
            self._knows_device = self._knows_device or knows_device
            hang_up = is_first and self._is_closing
        if hang_up:
            self._hang_up()  # immediately: it has connected, perhaps in place of another node
        elif knows_device:
            self._stop_if_safe()

    # --- in a thread for each call ---

    def _begin(self) -> None:
        with self._lock:
            if not self._is_ready or self._is_closing or self._has_returned:
                raise NotConnectedError("The account is not connected to WhatsApp at the moment.")
            self._asking += 1

    def _ask(self, call: Callable[[LibraryClient], T], failure: Callable[[str], NetworkError]) -> T:
        try:
            return readable(call(self._client))
        except NeonizeError as error:
            raise failure(text_of(error)) from error
        except NetworkError:
            raise
        except Exception as error:
            log.exception("whatsapp_library_failed")
            raise NetworkError(
                f"The WhatsApp library failed: {type(error).__name__}.", certain=False
            ) from error
        finally:
            self._end()

    def _end(self) -> None:
        with self._lock:
            self._asking -= 1
        self._stop_if_safe()

    def _hang_up(self) -> None:
        try:
            self._client.disconnect()
        except Exception:
            log.exception("whatsapp_hang_up_failed")
        self.is_down = True
        self._stop_if_safe()

    def _stop_if_safe(self) -> None:
        """Stop the client once no call is in progress."""
        # an unpaired client must not be stopped: it stays, without a connection
        with self._lock:
            safe = self._knows_device or self._has_returned
            if not self._is_closing or self._is_stopped or self._asking or not safe:
                return
            self._is_stopped = True
        run_aside(self._client.stop, "whatsapp-stop")


def text_of(error: NeonizeError) -> str:
    """Return the text of a failure, which the library raises as a text or inside an answer."""
    first = error.args[0] if error.args else ""
    return str(getattr(first, "Error", first))
